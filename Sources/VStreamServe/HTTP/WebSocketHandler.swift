internal import NIOCore
internal import NIOWebSocket

/// Sends the messages of a feed to one viewer, as fast as the viewer takes them. Lives on the connection's event loop.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let feed: LiveFeed
  private var viewer: LiveViewer?
  private var pings: RepeatedTask?
  /// Pings since the last sign of life.
  private var unanswered = 0

  private static let pingInterval = TimeAmount.seconds(20)
  /// A viewer that answers none of so many pings is gone.
  private static let maximumUnanswered = 3

  init(_ feed: LiveFeed) { self.feed = feed }

  func handlerAdded(context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    let added = LiveViewer {
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
    feed.add(added)
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
    if let viewer { feed.remove(viewer) }
    viewer = nil
  }

  /// Writes messages until the connection takes no more at once.
  private func send(_ context: ChannelHandlerContext) {
    guard let viewer, context.channel.isActive else { return }
    var hasWritten = false
    while context.channel.isWritable, let message = viewer.take() {
      write(WebSocketFrame(fin: true, opcode: message.isText ? .text : .binary, data: message.bytes), context)
      hasWritten = true
    }
    if hasWritten { context.flush() }
    if viewer.hasEnded { close(context) }
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
