/// Pairs rows with columns so that the sum of the pairs' costs is least (the Hungarian method in the form of shortest
/// augmenting paths). What holds one uses its memory again.
///
/// Source: H. W. Kuhn, "The Hungarian method for the assignment problem", 1955; R. Jonker and A. Volgenant, "A shortest
/// augmenting path algorithm for dense and sparse linear assignment problems", 1987.
struct Assignment: Sendable {
  /// For each row of the last problem its column; −1 for rows left over when there are more of them than columns.
  private(set) var columnOfRow: [Int] = []
  // Rows and columns count from 1 in these; column 0 stands for the row that is being placed.
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
  ///   - cost: finite cost of a pair.
  /// - Complexity: O(min² · max) for the smaller and the larger of the two numbers.
  mutating func solve(rows: Int, columns: Int, cost: (Int, Int) -> Double) {
    columnOfRow.fill(-1, count: rows)
    guard rows > 0, columns > 0 else { return }
    if rows > columns {
      place(rows: columns, columns: rows) { cost($1, $0) }
      for row in 1...rows where rowOfColumn[row] > 0 { columnOfRow[row - 1] = rowOfColumn[row] - 1 }
    } else {
      place(rows: rows, columns: columns, cost: cost)
      for column in 1...columns where rowOfColumn[column] > 0 { columnOfRow[rowOfColumn[column] - 1] = column - 1 }
    }
  }

  /// Sets `rowOfColumn`, of no more rows than columns.
  private mutating func place(rows: Int, columns: Int, cost: (Int, Int) -> Double) {
    rowPotential.fill(0, count: rows + 1)
    columnPotential.fill(0, count: columns + 1)
    rowOfColumn.fill(0, count: columns + 1)
    previousColumn.fill(0, count: columns + 1)
    for row in 1...rows {
      rowOfColumn[0] = row
      var column = 0
      shortest.fill(.infinity, count: columns + 1)
      isVisited.fill(false, count: columns + 1)
      repeat {
        isVisited[column] = true
        let from = rowOfColumn[column]
        var step = Double.infinity
        var next = 0
        for candidate in 1...columns where !isVisited[candidate] {
          let reduced = cost(from - 1, candidate - 1) - rowPotential[from] - columnPotential[candidate]
          if reduced < shortest[candidate] {
            shortest[candidate] = reduced
            previousColumn[candidate] = column
          }
          if shortest[candidate] < step {
            step = shortest[candidate]
            next = candidate
          }
        }
        for visited in 0...columns {
          if isVisited[visited] {
            rowPotential[rowOfColumn[visited]] += step
            columnPotential[visited] -= step
          } else {
            shortest[visited] -= step
          }
        }
        column = next
      } while rowOfColumn[column] != 0
      while column != 0 {
        let previous = previousColumn[column]
        rowOfColumn[column] = rowOfColumn[previous]
        column = previous
      }
    }
  }
}

extension Array {
  /// Makes the array hold so many of one value, in the memory that it has.
  mutating func fill(_ value: Element, count: Int) {
    removeAll(keepingCapacity: true)
    append(contentsOf: repeatElement(value, count: count))
  }
}
