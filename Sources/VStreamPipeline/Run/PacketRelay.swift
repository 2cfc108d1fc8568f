internal import VStreamCore
package import VStreamMedia

/// Reads the packets of an input at the rate at which they come, or are shown, and gives them to an observer without decoding
/// them.
package final class PacketRelay: SupervisedRun {
  private let input: MediaInput
  private let observer: any PacketObserver
  private let state: RunState

  package init(_ input: MediaInput, observer: any PacketObserver) {
    self.input = input
    self.observer = observer
    state = RunState()
  }

  package func stop() { state.stop() }

  package func runSupervised(onProgress: (PipelineProgress) -> Void) throws {
    try state.begin()
    do {
      let media = try MediaReader(input, interrupt: state.interrupt)
      observer.inputOpened(media.video, sound: media.sound)
      try relay(media)
    } catch {
      // Reading fails if the run is stopped meanwhile, which is not an error.
      if !state.isStopping { throw error }
    }
  }

  private func relay(_ media: MediaReader) throws {
    var pacer = RealtimePacer()
    var damaged = 0
    while !state.isStopping, damaged <= InputSource.maximumConsecutiveDamaged {
      switch try media.next() {
      case .end: return
      case .damaged: damaged += 1
      case .packet(let packet):
        damaged = 0
        // A file takes the place of a live input.
        if media.container.hasKnownEnd, let time = packet.decodingTime ?? packet.presentationTime {
          guard state.wait(until: pacer.moment(of: time.seconds, now: state.clock.now)) else { return }
        }
        observer.packetRead(packet)
      }
    }
  }
}
