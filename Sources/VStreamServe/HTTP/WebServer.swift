internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import VStreamCore
internal import VStreamPipeline

#if canImport(Glibc)
  internal import Glibc
#endif

/// The HTTP server: its addresses, its connections, and their limits.
final class WebServer: Sendable {
  private let router: Router
  private let group: MultiThreadedEventLoopGroup
  private let tls: NIOSSLContext?
  private let connectionCount = Monitor(0)
  private let listening = Monitor<[any Channel]>([])

  private static let maximumConnections = 512
  private static let backlog: Int32 = 128
  /// Bytes of a connection that the kernel holds for its client, and that the program holds beside a viewer's queue.
  private static let sendBuffer = 1 << 18
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 16, high: 1 << 18)
  private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 << 10
    limits.maxHeaderListSize = 32 << 10
    limits.maxHeaderFieldCount = 64
    return limits
  }()
  /// Viewers send nothing but answers to pings.
  private static let maximumViewerFrame = 1 << 10

  /// - Throws: `VStreamError.usage` if the certificate or the key cannot be used.
  init(_ router: Router, certificate: String?, key: String?) throws(VStreamError) {
    self.router = router
    group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, PipelineConfiguration.processorCount))
    tls = try Self.tls(certificate: certificate, key: key)
  }

  private static func tls(certificate: String?, key: String?) throws(VStreamError) -> NIOSSLContext? {
    guard let certificate, let key else { return nil }
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate).map(NIOSSLCertificateSource.certificate)
      let privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(privateKey))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw VStreamError(
        .usage, "TLS cannot be served with '\(certificate)' and '\(key)': \(Self.reason(error))",
        remedy: "give files in PEM format: the certificate chain, and its private key")
    }
  }

  /// Listens at an address.
  ///
  /// - Returns: the address with the port that was given.
  /// - Throws: `VStreamError.cannotCreateOutput` if that is not possible.
  func listen(at address: ListeningAddress) throws(VStreamError) -> ListeningAddress {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(ChannelOptions.backlog, value: Self.backlog)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(ChannelOptions.socketOption(.so_sndbuf), value: Self.sendBuffer)
      .childChannelOption(ChannelOptions.writeBufferWaterMark, value: Self.waterMark)
      .childChannelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture { try initialise(channel) }
      }
    do {
      let channel = try bootstrap.bind(host: address.host, port: address.port).wait()
      listening.update { $0.append(channel) }
      return ListeningAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
    } catch {
      throw VStreamError(
        .cannotCreateOutput, "cannot listen at \(address): \(Self.reason(error))",
        remedy: "choose another address or port (listen)")
    }
  }

  /// The reason why an address or a certificate cannot be used, without the names of NIO's functions and cases.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE: "another program uses it"
    case let error as IOError where error.errnoCode == EACCES: "this user may not; ports below 1024 need a privilege"
    case let error as IOError where error.errnoCode == EADDRNOTAVAIL: "this machine has no such address"
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case is SocketAddressError.UnknownHost: "no address is known for this name"
    case NIOSSLError.failedToLoadCertificate: "the certificate cannot be read"
    case NIOSSLError.failedToLoadPrivateKey: "the private key cannot be read, or is not the certificate's"
    default: String(describing: error)
    }
  }

  /// Closes all connections.
  func stop() {
    for channel in listening.read({ $0 }) { try? channel.close().wait() }
    try? group.syncShutdownGracefully()
  }

  private func initialise(_ channel: any Channel) throws {
    let count = connectionCount.update { count in
      count += 1
      return count
    }
    channel.closeFuture.whenComplete { [connectionCount] _ in connectionCount.update { $0 -= 1 } }
    guard count <= Self.maximumConnections else { return channel.close(promise: nil) }
    let pipeline = channel.pipeline.syncOperations
    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
    let encoder = HTTPResponseEncoder()
    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: Self.headerLimits)
    let handlers: [any RemovableChannelHandler] = [
      ByteToMessageHandler(decoder), HTTPServerPipelineHandler(), NIOHTTPResponseHeadersValidator(),
      HTTPServerProtocolErrorHandler(),
    ]
    try pipeline.addHandlers([encoder] + handlers)
    let connection = RequestConnection(
      peer: channel.remoteAddress?.ipAddress ?? "",
      local: channel.localAddress.flatMap { address in
        address.ipAddress.map { ListeningAddress(host: $0, port: address.port ?? 0) }
      }, usesTLS: tls != nil)
    try pipeline.addHandler(
      HTTPHandler(router, connection) { http in
        let bound = NIOLoopBound(http, eventLoop: channel.eventLoop)
        return HTTPServerUpgradeHandler(
          upgraders: [Self.webSocket(bound)], httpEncoder: encoder, extraHTTPHandlers: handlers
        ) { context in context.pipeline.syncOperations.removeHandler(bound.value, promise: nil) }
      })
  }

  /// Requests that it does not accept are answered by the `HTTPHandler`.
  private static func webSocket(_ http: NIOLoopBound<HTTPHandler>) -> NIOWebSocketServerUpgrader {
    NIOWebSocketServerUpgrader(
      maxFrameSize: maximumViewerFrame,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(http.value.opensWebSocket(head) ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          guard let (camera, feed) = http.value.followed else { return channel.close(promise: nil) }
          try channel.pipeline.syncOperations.addHandler(WebSocketHandler(camera, feed))
        }
      })
  }
}
