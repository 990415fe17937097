import type { PeerCertificate } from 'node:tls'
import {
  type Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js'
import { Slots } from '../../transport/slots.js'
import { GrpcCode } from '../errors.js'
import { type CallContext, CallError } from './service.js'

/** Messages of one user that are received at the same time. Each may have 4 MiB. */
const RECEIVING = 8
/** The time to receive a message, once it is read. */
const RECEIVE_MS = 10_000

/**
 * Reads the message of a call when its caller is known, and only a few of one user at a time: otherwise everybody who can connect
 * could fill the memory with messages that never end. `userOf` rejects with `CallError`.
 */
export function admission(userOf: (context: CallContext) => Promise<string>): ServerInterceptor {
  const users = new Map<string, { readonly slots: Slots; calls: number }>()

  /** Calls `read` when it is the turn of the user, and waits until it has been received. */
  async function receive(name: string, read: () => Promise<void>): Promise<void> {
    const user = users.get(name) ?? { slots: new Slots(RECEIVING), calls: 0 }
    users.set(name, user)
    user.calls++
    try {
      await user.slots.run(undefined, read)
    } finally {
      user.calls--
      if (user.calls === 0) users.delete(name)
    }
  }

  return (_, call) => {
    const received = new Received()
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const read = () => {
          if (!received.isOver) next(metadata)
          return received.within(RECEIVE_MS)
        }
        userOf(callContext(metadata, call))
          .then((user) => receive(user, read))
          .catch((error: unknown) => {
            const { code, message } = error instanceof CallError ? error : LATE
            call.sendStatus({ code, details: message })
          })
      })
      .withOnReceiveMessage((message, next) => {
        received.end()
        next(message)
      })
      .withOnCancel(() => received.end())
      .build()
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build())
  }
}

/** Who calls, by the metadata and the connection of a call. */
export function callContext(
  metadata: Metadata,
  connection: { getAuthContext(): { sslPeerCertificate?: unknown }; getPeer(): string },
): CallContext {
  const [authorization] = metadata.get('authorization')
  return {
    authorization: authorization === undefined ? undefined : String(authorization),
    certificate: connection.getAuthContext().sslPeerCertificate as PeerCertificate | undefined,
    connection: connection.getPeer(),
  }
}

const LATE = new CallError(GrpcCode.unavailable, `the message did not arrive in ${RECEIVE_MS / 1_000} seconds`)

/** Whether a message has been received, or will not be. */
class Received {
  isOver = false
  #onOver: () => void = () => undefined

  end(): void {
    this.isOver = true
    this.#onOver()
  }

  /** Resolves when it is over. Rejects after a time. */
  within(milliseconds: number): Promise<void> {
    if (this.isOver) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(LATE), milliseconds)
      this.#onOver = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
