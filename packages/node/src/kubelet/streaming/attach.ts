import type { MessageSocket } from '@orrery/kube/transport'
import type { AttachableOutput } from '../container/live.js'
import type { GroupProcess } from '../os/child-process.js'
import { CommandChannels, type WantedStreams } from './channels.js'

export interface Attachable {
  readonly process: GroupProcess
  readonly streams: AttachableOutput
  /** Whether standard input ends with the first client that sent some. */
  readonly stdinOnce: boolean
}

/** Connects a client with a running program until one of them ends. */
export async function serveAttach(
  { process, streams, stdinOnce }: Attachable,
  request: WantedStreams,
  socket: MessageSocket,
): Promise<void> {
  const channels = new CommandChannels(socket, request)
  const detach = streams.attach(channels.output)
  const gone = new Promise<void>((resolve) => socket.onClose(() => resolve()))
  const takesInput = request.stdin && process.input !== undefined
  channels.feed(takesInput ? process.input : undefined, stdinOnce)
  await Promise.race([process.ended, gone])
  detach()
  if (takesInput && stdinOnce) process.input?.end()
  channels.finish({ status: 'Success' })
}
