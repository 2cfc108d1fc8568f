/// The JSON Schema of the lines of `.jsonl` records: `records.schema.json` beside this file, which the build embeds.
public enum RecordSchema {
  public static var text: String { String(decoding: PackageResources.records_schema_json, as: UTF8.self) }
}
