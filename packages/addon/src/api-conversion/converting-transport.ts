import type { JsonObject } from '@orrery/kinds'
import { isObject, PATCH_TYPES } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import { converted, convertedPatch, kindAt, SERVED, servedPath, USED } from './convert.js'
import { type AddonApiVersion, servedVersion } from './served-version.js'

const NEWLINE = 10

/** Converts requests for add-ons of v1beta1, and their responses, if the hub serves only v1alpha1. */
export class ConvertingTransport implements Transport {
  readonly #transport: Transport
  /** Undefined until a hub is found that serves add-ons. */
  #version: AddonApiVersion | undefined

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const { path, body, signal } = request
    if (this.#version === undefined && concernsAddons(request)) {
      this.#version = await servedVersion(this.#transport, signal === undefined ? {} : { signal })
    }
    if (this.#version !== 'v1alpha1') return this.#transport.request(request)
    const response = await this.#transport.request({
      ...request,
      path: servedPath(path),
      ...(body !== undefined && { body: requestBody(request, body) }),
    })
    if (response.status >= 400 || !isJson(response)) return response
    return isWatch(path) ? convertedStream(response) : convertedResponse(response)
  }

  close(): void {
    this.#transport.close?.()
  }
}

function concernsAddons({ path, body }: HttpRequest): boolean {
  return kindAt(path) !== undefined || (body?.includes(USED) ?? false)
}

function requestBody({ path, headers = {} }: HttpRequest, body: Buffer | string): Buffer | string {
  const kind = kindAt(path)
  if (kind === undefined && !body.includes(USED)) return body
  const value: unknown = JSON.parse(body.toString())
  if (Array.isArray(value) && kind !== undefined) {
    throw new TypeError(`a JSON patch of ${kind} cannot be converted to v1alpha1: use a merge patch`)
  }
  if (!isObject(value)) return body
  const isPatch = headers['content-type'] === PATCH_TYPES.merge && kind !== undefined
  return JSON.stringify(isPatch ? convertedPatch(value, kind, SERVED) : converted(value, SERVED))
}

function convertedResponse(response: HttpResponse): HttpResponse {
  const bytes = async () => convertedJson(await response.bytes(), (value) => converted(value, USED))
  return { ...response, body: once(bytes), bytes }
}

async function* once(bytes: () => Promise<Buffer>): AsyncGenerator<Buffer> {
  yield await bytes()
}

/** The events of a watch, each in one line. */
function convertedStream(response: HttpResponse): HttpResponse {
  const body = convertedLines(response.body)
  const bytes = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return { ...response, body, bytes }
}

async function* convertedLines(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE)
    if (end < 0) {
      rest.push(chunk)
      continue
    }
    const text = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8')
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
    const lines = text.split('\n').map((line) => convertedJson(Buffer.from(line), convertedEvent).toString('utf8'))
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

function convertedEvent(event: JsonObject): JsonObject {
  return isObject(event.object) ? { ...event, object: converted(event.object, USED) } : event
}

/** Most responses have nothing of add-ons, and are not parsed. */
function convertedJson(bytes: Buffer, convert: (value: JsonObject) => JsonObject): Buffer {
  if (!bytes.includes(SERVED)) return bytes
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  return isObject(value) ? Buffer.from(JSON.stringify(convert(value))) : bytes
}

function isJson({ headers }: HttpResponse): boolean {
  return String(headers['content-type'] ?? '').includes('json')
}

function isWatch(path: string): boolean {
  return /[?&]watch=(true|1)(&|$)/.test(path)
}
