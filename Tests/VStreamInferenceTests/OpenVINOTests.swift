import Foundation
import Testing
import VStreamInference

@Suite struct OpenVINOTests {
  /// The environment differs, so the test has a process of its own.
  @Test func `the library is loaded only from the folder that the user names`() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_OPENVINO", "/nowhere", 1)
      #expect(OpenVINO.version == nil)
    }
  }
}
