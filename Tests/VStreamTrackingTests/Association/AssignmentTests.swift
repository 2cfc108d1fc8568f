import Testing
import VStreamTestSupport

@testable import VStreamTracking

struct AssignmentTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let costs: [[Double]]
    let expected: [Int?]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "nothing", costs: [], expected: []),
    Row(name: "one pair", costs: [[7]], expected: [0]),
    Row(name: "a greedy choice costs 11 instead of 3", costs: [[1, 2], [1, 10]], expected: [1, 0]),
    Row(name: "more columns than rows", costs: [[5, 1, 9]], expected: [1]),
    Row(name: "more rows than columns", costs: [[5], [1], [9]], expected: [nil, 0, nil]),
    Row(name: "negative costs", costs: [[-1, -5], [-5, -1]], expected: [1, 0]),
  ]

  @Test(arguments: rows)
  func `assignments match those computed by hand`(_ row: Row) {
    let found = columns(rows: row.costs.count, columns: row.costs.first?.count ?? 0) { row.costs[$0][$1] }
    #expect(found == row.expected)
  }

  @Test func `the assignment costs no more than the best found by exhaustive search`() {
    var generator = SeededNumbers(seed: 7)
    for _ in 0..<200 {
      let rows = Int.random(in: 1...5, using: &generator)
      let columns = Int.random(in: 1...5, using: &generator)
      let costs = (0..<rows).map { _ in (0..<columns).map { _ in Double.random(in: 0...10, using: &generator) } }
      let found = self.columns(rows: rows, columns: columns) { costs[$0][$1] }
      let pairs = found.enumerated().compactMap { row, column in column.map { (row, $0) } }
      #expect(pairs.count == min(rows, columns))
      #expect(Set(pairs.map(\.1)).count == pairs.count)
      let cost = pairs.reduce(0) { $0 + costs[$1.0][$1.1] }
      #expect(abs(cost - leastCost(costs, row: 0, used: [], left: pairs.count)) < 1e-9)
    }
  }

  /// The column of each row in the cheapest assignment.
  private func columns(rows: Int, columns: Int, cost: (Int, Int) -> Double) -> [Int?] {
    var assignment = Assignment()
    assignment.solve(rows: rows, columns: columns, cost: cost)
    return assignment.columnOfRow.map { $0 < 0 ? nil : $0 }
  }

  private func leastCost(_ costs: [[Double]], row: Int, used: Set<Int>, left: Int) -> Double {
    if left == 0 { return 0 }
    if costs.count - row < left { return .infinity }
    var best = leastCost(costs, row: row + 1, used: used, left: left)
    for column in costs[row].indices where !used.contains(column) {
      let rest = leastCost(costs, row: row + 1, used: used.union([column]), left: left - 1)
      best = min(best, costs[row][column] + rest)
    }
    return best
  }
}
