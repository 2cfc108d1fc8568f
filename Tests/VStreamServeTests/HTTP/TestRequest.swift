@testable import VStreamServe

extension WebRequest {
  /// A request that came without a proxy.
  init?(
    method: String, target: String, headers: [(name: String, value: String)], client: String, usesTLS: Bool = false
  ) {
    self.init(
      method: method, target: target, headers: headers,
      connection: RequestConnection(
        peer: client, local: ListeningAddress(host: "127.0.0.1", port: 8480), usesTLS: usesTLS))
  }
}
