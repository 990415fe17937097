/** An open WebSocket. A writer stops when `send` returns false. A reader that cannot keep up pauses the socket. */
export interface MessageSocket {
  /** The negotiated subprotocol; empty for none. */
  readonly protocol: string
  /** Sends one message without copying it. False means that the buffer is full: wait until it drains. */
  send(data: Buffer, frame: 'text' | 'binary'): boolean
  onMessage(callback: (data: Buffer, frame: 'text' | 'binary') => void): void
  onDrain(callback: () => void): void
  /** The code is 1006 when the connection ended without a close frame. */
  onClose(callback: (code: number, reason: string) => void): void
  /** Stops reading from the connection. Messages that have been read already still arrive. */
  pause(): void
  resume(): void
  /** Starts the closing handshake after pending messages; the connection is cut if the client does not respond. */
  close(code?: number, reason?: string): void
}
