import type { StreamExchange } from './pod-streams.js'

/** The part of an upgraded HTTP connection of the API server that streaming uses. */
export interface GateExchange {
  reply(status: number, headers: Record<string, string>, body: Buffer): void
  stream(status: number, headers: Record<string, string>): GateSink
  onClose(callback: () => void): void
  webSocket: StreamExchange['webSocket']
}

export interface GateSink {
  /** Returns false if the buffer is full; wait for drain before writing more. */
  write(chunk: Buffer): boolean
  onDrain(callback: () => void): void
  onClose(callback: () => void): void
  end(): void
}
