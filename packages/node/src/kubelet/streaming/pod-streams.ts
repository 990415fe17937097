import { badRequest, isObject } from '@orrery/kinds/values'
import type { MessageSocket } from '@orrery/kube/transport'
import type { ContainerInside } from '../container/live.js'
import type { PodRun } from '../pod/pod-run.js'
import { type Attachable, serveAttach } from './attach.js'
import { COMMAND_PROTOCOLS, MAX_MESSAGE, type WantedStreams } from './channels.js'
import { prepareExec } from './exec.js'
import { isPort, PORT_PROTOCOLS, servePortForward } from './port-forward.js'

/** The part of an HTTP connection of the API server that streaming uses. */
export interface StreamExchange {
  /** Returns undefined if the client does not request a WebSocket. Throws a 4xx for an invalid request. */
  webSocket(options: {
    readonly protocols: readonly string[]
    readonly maxMessageBytes: number
  }): MessageSocket | undefined
}

/** A pod and the options of a request: `PodExecOptions`, `PodAttachOptions`, …. */
export interface StreamRequest {
  readonly pod: string
  readonly run: PodRun
  readonly options: Readonly<Record<string, unknown>>
}

/** Runs a command in a container (`kubectl exec`). Permanent errors are a 400, since clients retry a 503. */
export async function serveExec(exchange: StreamExchange, { pod, run, options }: StreamRequest): Promise<void> {
  const streams = streamsOf(options)
  const command = textsIn(options.command)
  if (command.length === 0) throw badRequest('you must specify at least 1 command for the pod exec')
  const { workspace } = insideOf(pod, run, options, 'execute a command')
  const serve = await prepareExec(workspace, { ...streams, command, tty: options.tty === true })
  await serve(opened(exchange, COMMAND_PROTOCOLS, 'exec'))
}

/** Attaches a client to the program of a container (`kubectl attach`). */
export async function serveAttachment(exchange: StreamExchange, request: StreamRequest): Promise<void> {
  const { pod, run, options } = request
  const streams = streamsOf(options)
  const { process, streams: output } = insideOf(pod, run, options, 'attach to')
  const specified = run.containers.find(({ name }) => name === containerOf(run, options))
  const attachable: Attachable = { process, streams: output, stdinOnce: specified?.stdinOnce === true }
  await serveAttach(attachable, streams, opened(exchange, COMMAND_PROTOCOLS, 'attach'))
}

/**
 * Forwards connections to ports of a pod (`kubectl port-forward`). Programs share the network of the machine, so only
 * declared container ports are forwarded; otherwise a user with this permission could reach everything that listens on
 * the loopback address.
 */
export async function serveForwarding(exchange: StreamExchange, request: StreamRequest): Promise<void> {
  const { pod, run, options } = request
  const played = run.containers.every(({ name }) => run.liveOf(name)?.inside === undefined)
  if (played) throw notReal(pod, run, run.firstContainer, 'forward a port to')
  const declared = new Set(run.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)))
  const ports = Array.isArray(options.ports) ? options.ports.map(Number) : []
  if (!ports.every(isPort)) throw badRequest('ports must be numbers between 1 and 65535')
  const socket = opened(exchange, PORT_PROTOCOLS, 'portforward')
  const refusal = (port: number) =>
    declared.has(port) ? undefined : `no container of the pod declares it: add containerPort ${port}`
  servePortForward({ pod, ports, refusal }, socket)
}

function opened(exchange: StreamExchange, protocols: readonly string[], subresource: string): MessageSocket {
  const socket = exchange.webSocket({ protocols, maxMessageBytes: MAX_MESSAGE })
  if (socket !== undefined) return socket
  const how = `${subresource} is served over WebSocket with ${protocols.join(' or ')}`
  throw badRequest(`Upgrade request required: ${how}; use kubectl 1.31 or newer`)
}

function insideOf(pod: string, run: PodRun, options: StreamRequest['options'], purpose: string): ContainerInside {
  const name = containerOf(run, options)
  const inside = run.liveOf(name)?.inside
  if (inside === undefined || !inside.process.isRunning) throw notReal(pod, run, name, purpose)
  return inside
}

function notReal(pod: string, run: PodRun, name: string, purpose: string): Error {
  const live = run.liveOf(name)
  if (live === undefined || live.inside !== undefined) {
    return badRequest(`container ${JSON.stringify(name)} of pod ${JSON.stringify(pod)} is not running`)
  }
  const { image = '' } = run.containers.find((container) => container.name === name) ?? {}
  const why = `no program of this node is registered for image ${JSON.stringify(image)}`
  return badRequest(`pod ${JSON.stringify(pod)} is played, there is no process to ${purpose}: ${why}`)
}

function containerOf(run: PodRun, { container }: StreamRequest['options']): string {
  return typeof container === 'string' && container !== '' ? container : run.firstContainer
}

function streamsOf(options: StreamRequest['options']): WantedStreams {
  const { stdin, stdout, stderr } = options
  const streams = { stdin: stdin === true, stdout: stdout === true, stderr: stderr === true }
  if (!streams.stdin && !streams.stdout && !streams.stderr) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  }
  return streams
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** Parses the options that an API server passes. */
export function optionsIn(value: unknown): StreamRequest['options'] {
  return isObject(value) ? value : {}
}
