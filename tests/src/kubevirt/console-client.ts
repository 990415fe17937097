import type { TestContext } from 'node:test'
import type { ApiServer } from '@orrery/apiserver'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { namespace as defaultNamespace } from './vm-cluster.js'

const PATIENCE = 120_000

/** A client of the console or the display of a guest, as `virtctl` is one. */
export class ConsoleClient {
  readonly socket: WebSocket
  #received = Buffer.alloc(0)
  #wake: () => void = () => undefined

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data])
      this.#wake()
    })
    socket.on('close', () => this.#wake())
  }

  /** Connects to a subresource. Rejects with the status and text of a refusal. */
  static async open(
    t: TestContext,
    server: ApiServer,
    name: string,
    subresource: string,
    namespace = defaultNamespace,
  ): Promise<ConsoleClient> {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`
    const { clusters, users } = parse(await server.kubeconfig('cluster'))
    const bytes = (text: string) => Buffer.from(text, 'base64')
    const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user
    const tls = { ca: bytes(clusters[0].cluster['certificate-authority-data']), cert: bytes(cert), key: bytes(key) }
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}${path}`, ['plain.kubevirt.io'], tls)
    t.after(() => socket.terminate())
    const client = new ConsoleClient(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.on('error', reject)
      socket.once('unexpected-response', (_, response) => {
        let text = ''
        response.on('data', (piece: Buffer) => {
          text += piece.toString('utf8')
        })
        response.on('end', () => reject(new Error(`${response.statusCode} ${text}`)))
      })
    })
    return client
  }

  /** What the guest has written. */
  get text(): string {
    return this.#received.toString('latin1')
  }

  type(line: string): void {
    this.socket.send(Buffer.from(`${line}\r`))
  }

  /** Types a line, and waits for the answer of the guest. */
  async ask(line: string, answer: string): Promise<void> {
    const before = this.#received.length
    this.type(line)
    await this.until(answer, before)
  }

  /** Waits until the guest has written a text. */
  async until(part: string, from = 0): Promise<void> {
    const deadline = performance.now() + PATIENCE
    while (!this.text.slice(from).includes(part)) {
      const isOver = performance.now() > deadline || this.socket.readyState !== WebSocket.OPEN
      if (isOver) throw new Error(`the guest did not write ${JSON.stringify(part)}, but ${JSON.stringify(this.text)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - performance.now() + 1)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
