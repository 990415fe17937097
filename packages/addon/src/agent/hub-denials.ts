import { codePointCount } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'

const FORBIDDEN = 403
/** This many denials are remembered: the first ones show what is missing. */
const MAX_DENIALS = 20
/** This many are in the text, each with this many characters. */
const MAX_SHOWN = 3
const MAX_LENGTH = 300

/**
 * Notes which requests of an agent the hub denies, until the same request succeeds. It is a transport, so that it sees the requests of
 * all clients of the hub: of informers, of reports, and of the add-on itself.
 */
export class HubDenials implements Transport {
  readonly #transport: Transport
  readonly #denied = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const response = await this.#transport.request(request)
    const key = `${request.method} ${request.path.split('?', 1)[0]}`
    if (response.status === FORBIDDEN) {
      const bytes = await response.bytes()
      if (this.#denied.size < MAX_DENIALS) this.#change(() => this.#denied.set(key, messageIn(bytes)))
      return { ...response, body: once(bytes), bytes: () => Promise.resolve(bytes) }
    }
    if (response.status < 400 && this.#denied.has(key)) this.#change(() => this.#denied.delete(key))
    return response
  }

  close(): void {
    this.#transport.close?.()
  }

  /** What the hub denies, and what to do about it; undefined if it denies nothing. */
  get problem(): string | undefined {
    const messages = [...new Set(this.#denied.values())]
    if (messages.length === 0) return undefined
    const more = messages.length > MAX_SHOWN ? `; and ${messages.length - MAX_SHOWN} more` : ''
    return (
      `the hub denies requests of the agent: ${messages.slice(0, MAX_SHOWN).join('; ')}${more}: ` +
      'grant these permissions in registration.permissions of the add-on'
    )
  }

  /** Calls back when the problem changes. Returns a function that stops it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #change(change: () => void): void {
    const before = this.problem
    change()
    if (this.problem === before) return
    for (const listener of this.#listeners) listener()
  }
}

/** The message of a Status: it names the user, the verb, the resource and the namespace. */
function messageIn(bytes: Buffer): string {
  const text = bytes.toString()
  let message: unknown
  try {
    message = (JSON.parse(text) as { message?: unknown }).message
  } catch {
    // A proxy in front of the hub answers with text.
  }
  const found = typeof message === 'string' ? message : text.trim()
  return codePointCount(found) > MAX_LENGTH ? `${[...found].slice(0, MAX_LENGTH).join('')}…` : found
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
