internal import VStreamScene
internal import VStreamSystem

/// The JSON objects of a `.jsonl` file.
enum JSONRecord {
  static func add(_ header: RecordHeader, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "header")
      json.add("version", 1)
      json.add("program", ProgramVersion.name)
      json.addObject("input") { input in
        input.add("name", header.inputName)
        input.add("width", header.size.width)
        input.add("height", header.size.height)
        input.add("rotation", header.rotation)
        input.add("timeBase", header.timeBase.description)
        if let rate = header.frameRate { input.add("frameRate", rate.description) }
      }
      add("zones", header.zones, to: &json)
      add("lines", header.lines, to: &json)
      json.addObject("options") { options in
        for (name, value) in header.options { add(name, value, to: &options) }
      }
    }
  }

  /// Adds an option of a run.
  static func add(_ name: String, _ value: RecordHeader.OptionValue, to json: inout TextBuffer) {
    switch value {
    case .text(let text): json.add(name, text)
    case .number(let number): json.add(name, number, places: 6)
    case .integer(let number): json.add(name, number)
    case .list(let list): json.addList(name) { all in for text in list { all.addText(text) } }
    case .flag(let isSet): json.add(name, isSet)
    }
  }

  static func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    text.addObject { json in
      json.add("type", "frame")
      json.add("frame", annotations.frame)
      json.add("pts", annotations.time.seconds, places: 6)
      json.add("ticks", Int(annotations.time.ticks))
      json.add("source", annotations.source.rawValue)
      if annotations.shot > 0 { json.add("shot", annotations.shot) }
      add(annotations.found, .rounded, isPredicted: annotations.source == .predicted, to: &json)
      if let counts = record.counts { addCurrent(counts, to: &json) }
      if let detections = record.detections {
        json.addObject("detections") { addDetections(detections, to: &$0) }
      }
    }
  }

  /// Adds detections that became ready after their frame had left.
  static func add(_ late: TimedObservations, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "detections")
      json.add("pts", late.time.seconds, places: 6)
      json.add("ticks", Int(late.time.ticks))
      if late.found.shot > 0 { json.add("shot", late.found.shot) }
      addDetections(late.found, to: &json)
    }
  }

  /// Adds the detectors' own results, and where objects were searched for: left, top, width, height, and pixels of the
  /// network's input for a pixel of the frame.
  private static func addDetections(_ found: Observations, to json: inout TextBuffer) {
    add(found, .exact, to: &json)
    guard let search = found.objectSearch else { return }
    json.addList("searched") { all in
      for region in search.regions {
        all.addList { list in
          for number in [region.box.x, region.box.y, region.box.width, region.box.height, region.scale] {
            list.separate()
            list.appendExactly(number)
          }
        }
      }
    }
  }

  static func add(_ event: TrackEvent, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "event")
      json.add("event", event.kind.rawValue)
      json.add("id", event.id)
      json.add("label", event.label)
      json.add("pts", event.time, places: 6)
    }
  }

  static func add(_ counts: RunCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "summary")
      counts.add(to: &json)
    }
  }
}
