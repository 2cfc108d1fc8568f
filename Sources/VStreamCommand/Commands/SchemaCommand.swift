internal import ArgumentParser
internal import VStreamReporting
internal import VStreamSystem

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the JSON Schema of records in JSON lines.",
    discussion: "Every line of records validates against it.")

  func run() throws {
    let output = try TextFile(creating: "-", overwrite: true)
    try output.write(Array(RecordSchema.text.utf8))
    try output.close()
  }
}
