internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Reads the requests of one connection and writes the responses. Lives on the connection's event loop.
final class HTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let router: Router
  private let connection: RequestConnection
  /// Makes the handler that turns the connection into a WebSocket.
  private let makeUpgrade: (HTTPHandler) -> HTTPServerUpgradeHandler
  private var request: WebRequest?
  private var isKeptAlive = false
  private var isHead = false
  /// Why a request is refused whose end is still awaited.
  private var refusal: WebResponse?
  /// Why a WebSocket is refused whose request is still to come here.
  private var socketRefusal: WebResponse?
  /// The camera and the feed of the WebSocket that is being opened.
  private(set) var followed: (camera: Camera, feed: CameraFeed)?
  /// Ends a connection whose next request does not come in time.
  private var deadline: Scheduled<Void>?

  static let maximumBodyBytes = 1 << 16
  /// Seconds for a request to arrive whole.
  private static let requestLimit = TimeAmount.seconds(20)

  init(
    _ router: Router, _ connection: RequestConnection, makeUpgrade: @escaping (HTTPHandler) -> HTTPServerUpgradeHandler
  ) {
    self.router = router
    self.connection = connection
    self.makeUpgrade = makeUpgrade
  }

  func handlerAdded(context: ChannelHandlerContext) {
    startDeadline(context)
    addUpgrade(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let bytes): add(bytes)
    case .end: finish(context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The request comes here next, and is answered as others are.
    if !(error is NIOWebSocketUpgradeError) { context.close(promise: nil) }
  }

  /// Decides whether a request opens a WebSocket, once for each request: wrong tokens are counted.
  func opensWebSocket(_ head: HTTPRequestHead) -> Bool {
    guard let request = WebRequest(head, connection, router.proxies) else { return false }
    switch router.feed(of: request) {
    case .feed(let camera, let feed):
      followed = (camera, feed)
      return true
    case .refused(let response): socketRefusal = response
    case .none: break
    }
    return false
  }

  /// Makes the next request able to open a WebSocket. NIO's handler only reads the first one that it is given, and proxies open
  /// WebSockets on connections that had other requests before.
  private func addUpgrade(_ context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    if (try? pipeline.context(handlerType: HTTPServerUpgradeHandler.self)) != nil { return }
    try? pipeline.addHandler(makeUpgrade(self), position: .before(self))
  }

  private func startDeadline(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: Self.requestLimit) { channel.close(promise: nil) }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // NIO reads no other request after one that asks for another protocol.
    isKeptAlive = head.isKeepAlive && !head.headers.contains(name: "Upgrade") && head.method != .CONNECT
    isHead = head.method == .HEAD
    refusal = socketRefusal
    socketRefusal = nil
    request = WebRequest(head, connection, router.proxies)
    if request == nil { refusal = .error(400, "the address is not valid") }
  }

  private func add(_ bytes: ByteBuffer) {
    guard refusal == nil, let count = request?.body.count else { return }
    guard count + bytes.readableBytes <= Self.maximumBodyBytes else {
      refusal = .error(413, "the request is longer than \(Self.maximumBodyBytes >> 10) kB")
      isKeptAlive = false
      return
    }
    request?.body += bytes.readableBytesView
  }

  private func finish(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    if let refusal { return write(refusal, context) }
    guard let request else { return }
    self.request = nil
    if let response = router.immediateResponse(to: request) { return write(response, context) }
    let (router, loop) = (router, context.eventLoop)
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    BackgroundWork.run(request.changesCameras ? .changes : .reads) {
      let response = router.respond(to: request)
      loop.execute {
        let (handler, context) = bound.value
        if context.channel.isActive { handler.write(response, context) }
      }
    }
  }

  private func write(_ response: WebResponse, _ context: ChannelHandlerContext) {
    if isKeptAlive { addUpgrade(context) }
    var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
    headers.add(name: "Content-Type", value: response.contentType)
    if response.stream == nil { headers.add(name: "Content-Length", value: "\(response.body.count)") }
    headers.add(name: "Cache-Control", value: "no-store")
    headers.add(name: "X-Content-Type-Options", value: "nosniff")
    headers.add(name: "Referrer-Policy", value: "no-referrer")
    headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
    if !isKeptAlive { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead, !response.body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
    }
    if let stream = response.stream, !isHead {
      context.flush()
      return send(stream, context)
    }
    end(context)
  }

  /// Sends the pieces of a body, each when the one before it was taken.
  private func send(_ stream: StreamedBody, _ context: ChannelHandlerContext) {
    startDeadline(context)
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    BackgroundWork.run(.reads) {
      let piece = try? stream.next()
      loop.execute {
        let (handler, context) = bound.value
        guard context.channel.isActive else { return }
        switch piece {
        case .bytes(let bytes):
          context.writeAndFlush(handler.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes))))).whenSuccess {
            let (handler, context) = bound.value
            handler.send(stream, context)
          }
        case .wait:
          loop.scheduleTask(in: Self.waitingTime) {
            let (handler, context) = bound.value
            if context.channel.isActive { handler.send(stream, context) }
          }
        case .end: handler.end(context)
        // The client sees that the body is not whole.
        case nil: context.close(promise: nil)
        }
      }
    }
  }

  /// Between questions for the next piece.
  private static let waitingTime = TimeAmount.milliseconds(200)

  private func end(_ context: ChannelHandlerContext) {
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    // The response has to be taken in time, too.
    startDeadline(context)
    let (isKeptAlive, channel) = (isKeptAlive, context.channel)
    if !isKeptAlive { written.whenComplete { _ in channel.close(promise: nil) } }
  }
}

extension WebRequest {
  fileprivate init?(_ head: HTTPRequestHead, _ connection: RequestConnection, _ proxies: TrustedProxies) {
    self.init(
      method: head.method.rawValue, target: head.uri, headers: head.headers.map { ($0.name, $0.value) },
      connection: connection, proxies: proxies)
  }
}

/// Sends the messages of a feed to one viewer, as fast as the viewer takes them. Lives on the connection's event loop.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let camera: Camera
  private let feed: CameraFeed
  private var viewer: LiveViewer?
  private var pings: RepeatedTask?
  /// Pings since the last sign of life.
  private var unanswered = 0

  private static let pingInterval = TimeAmount.seconds(20)
  /// A viewer that answers none of so many pings is gone.
  private static let maximumUnanswered = 3

  init(_ camera: Camera, _ feed: CameraFeed) { (self.camera, self.feed) = (camera, feed) }

  func handlerAdded(context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    let added = LiveViewer(feed) {
      loop.execute {
        let (handler, context) = bound.value
        handler.send(context)
      }
    }
    viewer = added
    pings = loop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
      let (handler, context) = bound.value
      handler.ping(context)
    }
    camera.handle(.joined(added))
    send(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    send(context)
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    unanswered = 0
    switch frame.opcode {
    case .connectionClose: close(context)
    case .ping:
      write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData), context)
      context.flush()
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func end() {
    pings?.cancel()
    pings = nil
    if let viewer { camera.handle(.left(viewer)) }
    viewer = nil
  }

  /// Writes messages until the connection takes no more at once.
  private func send(_ context: ChannelHandlerContext) {
    guard let viewer, context.channel.isActive else { return }
    defer { context.flush() }
    while context.channel.isWritable {
      switch camera.next(for: viewer) {
      case .message(let message):
        write(WebSocketFrame(fin: true, opcode: message.isText ? .text : .binary, data: message.bytes), context)
      case .wait: return
      case .end:
        end()
        return close(context)
      }
    }
  }

  private func ping(_ context: ChannelHandlerContext) {
    unanswered += 1
    guard unanswered <= Self.maximumUnanswered else { return context.close(promise: nil) }
    write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()), context)
    context.flush()
  }

  private func close(_ context: ChannelHandlerContext) {
    let channel = context.channel
    var code = ByteBuffer()
    code.write(webSocketErrorCode: .normalClosure)
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: code)))
      .whenComplete { _ in channel.close(promise: nil) }
  }

  private func write(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(frame), promise: nil)
  }
}
