/// Pairs rows with columns so that the sum of the pairs' costs is least (the Hungarian method in the form of shortest
/// augmenting paths).
///
/// Source: H. W. Kuhn, "The Hungarian method for the assignment problem", 1955; R. Jonker and A. Volgenant, "A shortest
/// augmenting path algorithm for dense and sparse linear assignment problems", 1987.
///
/// - Parameters:
///   - rows: number of rows.
///   - columns: number of columns.
///   - cost: finite cost of a pair.
/// - Returns: for each row its column; `nil` for rows left over when there are more of them than columns.
/// - Complexity: O(min² · max) for the smaller and the larger of the two numbers.
func minimumCostAssignment(rows: Int, columns: Int, cost: (Int, Int) -> Double) -> [Int?] {
  guard rows > 0, columns > 0 else { return [Int?](repeating: nil, count: rows) }
  if rows > columns {
    var result = [Int?](repeating: nil, count: rows)
    let transposed = minimumCostAssignment(rows: columns, columns: rows) { cost($1, $0) }
    for (column, row) in transposed.enumerated() {
      if let row { result[row] = column }
    }
    return result
  }
  // Rows and columns count from 1 here; column 0 stands for the row that is being placed.
  var rowPotential = [Double](repeating: 0, count: rows + 1)
  var columnPotential = [Double](repeating: 0, count: columns + 1)
  var rowOfColumn = [Int](repeating: 0, count: columns + 1)
  var previousColumn = [Int](repeating: 0, count: columns + 1)
  var shortest = [Double](repeating: .infinity, count: columns + 1)
  var isVisited = [Bool](repeating: false, count: columns + 1)
  for row in 1...rows {
    rowOfColumn[0] = row
    var column = 0
    for index in 0...columns { (shortest[index], isVisited[index]) = (.infinity, false) }
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
  var result = [Int?](repeating: nil, count: rows)
  for column in 1...columns where rowOfColumn[column] > 0 { result[rowOfColumn[column] - 1] = column - 1 }
  return result
}
