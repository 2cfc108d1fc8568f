/// What happens to the audio streams of an input.
public enum AudioPolicy: String, CaseIterable, Hashable, Sendable {
  /// They are copied, or encoded where the container cannot hold them as they are.
  case auto
  /// They are copied; a container that cannot hold one as it is is an error.
  case copy
  /// They are omitted.
  case none
}
