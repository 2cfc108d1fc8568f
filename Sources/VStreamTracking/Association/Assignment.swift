/// Assigns rows to columns with the minimum sum of costs (the Hungarian method with shortest augmenting paths). The memory
/// is reused from problem to problem.
///
/// Source: H. W. Kuhn, "The Hungarian method for the assignment problem", 1955; R. Jonker and A. Volgenant, "A shortest
/// augmenting path algorithm for dense and sparse linear assignment problems", 1987.
struct Assignment: Sendable {
  /// The column of each row of the last problem; −1 for rows without one, if there are more rows than columns.
  private(set) var columnOfRow: [Int] = []
  // Rows and columns are numbered from 1 here; column 0 holds the row that is being assigned.
  private var rowPotential: [Double] = []
  private var columnPotential: [Double] = []
  private var rowOfColumn: [Int] = []
  private var previousColumn: [Int] = []
  private var shortest: [Double] = []
  private var isVisited: [Bool] = []

  /// Sets `columnOfRow`.
  ///
  /// - Parameters:
  ///   - rows: number of rows.
  ///   - columns: number of columns.
  ///   - cost: the finite cost of a pair.
  /// - Complexity: O(min² · max) for the smaller and the larger of the two numbers.
  mutating func solve(rows: Int, columns: Int, cost: (Int, Int) -> Double) {
    columnOfRow.fill(-1, count: rows)
    guard rows > 0, columns > 0 else { return }
    if rows > columns {
      assign(rows: columns, columns: rows) { cost($1, $0) }
      for row in 1...rows where rowOfColumn[row] > 0 { columnOfRow[row - 1] = rowOfColumn[row] - 1 }
    } else {
      assign(rows: rows, columns: columns, cost: cost)
      for column in 1...columns where rowOfColumn[column] > 0 { columnOfRow[rowOfColumn[column] - 1] = column - 1 }
    }
  }

  /// Sets `rowOfColumn` for at most as many rows as columns.
  private mutating func assign(rows: Int, columns: Int, cost: (Int, Int) -> Double) {
    rowPotential.fill(0, count: rows + 1)
    columnPotential.fill(0, count: columns + 1)
    rowOfColumn.fill(0, count: columns + 1)
    previousColumn.fill(0, count: columns + 1)
    for row in 1...rows {
      rowOfColumn[0] = row
      augmentPath(to: freeColumn(columns: columns, cost: cost))
    }
  }

  /// The unassigned column at the end of the shortest augmenting path from column 0 (Dijkstra's algorithm); the path is in
  /// `previousColumn`.
  private mutating func freeColumn(columns: Int, cost: (Int, Int) -> Double) -> Int {
    shortest.fill(.infinity, count: columns + 1)
    isVisited.fill(false, count: columns + 1)
    var column = 0
    repeat {
      isVisited[column] = true
      let row = rowOfColumn[column]
      var step = Double.infinity
      var next = 0
      for candidate in 1...columns where !isVisited[candidate] {
        let reduced = cost(row - 1, candidate - 1) - rowPotential[row] - columnPotential[candidate]
        if reduced < shortest[candidate] {
          shortest[candidate] = reduced
          previousColumn[candidate] = column
        }
        if shortest[candidate] < step {
          step = shortest[candidate]
          next = candidate
        }
      }
      updatePotentials(columns: columns, by: step)
      column = next
    } while rowOfColumn[column] != 0
    return column
  }

  private mutating func updatePotentials(columns: Int, by step: Double) {
    for column in 0...columns {
      if isVisited[column] {
        rowPotential[rowOfColumn[column]] += step
        columnPotential[column] -= step
      } else {
        shortest[column] -= step
      }
    }
  }

  /// Moves the rows along a path by one column each, which leaves column 0 free.
  private mutating func augmentPath(to end: Int) {
    var column = end
    while column != 0 {
      let previous = previousColumn[column]
      rowOfColumn[column] = rowOfColumn[previous]
      column = previous
    }
  }
}

extension Array {
  /// Replaces the contents by `count` equal values, without a new allocation if the capacity suffices.
  mutating func fill(_ value: Element, count: Int) {
    removeAll(keepingCapacity: true)
    append(contentsOf: repeatElement(value, count: count))
  }
}
