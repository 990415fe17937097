import type { Container, Probe } from '@orrery/kinds'
import type { CheckResult } from './check-result.js'
import { checkGrpc } from './grpc-check.js'
import { checkHttp } from './http-check.js'
import { checkTcp } from './tcp-check.js'

/** Starts the time limit of a check, and returns the signal that ends it. A command first waits for its turn to start. */
export type Begin = () => AbortSignal

export type Check = (begin: Begin) => Promise<CheckResult>

/** Runs a command in a container. */
export type Execute = (command: readonly string[], begin: Begin) => Promise<CheckResult>

/** Processes share the network of the machine. */
const HERE = '127.0.0.1'

/** Returns the check of a probe: exec, HTTP, TCP or gRPC. */
export function checkOf(probe: Probe, container: Container, execute: Execute): Check {
  const { exec, httpGet, tcpSocket, grpc } = probe
  if (exec !== undefined) return (begin) => execute(exec.command ?? [], begin)
  if (httpGet !== undefined) {
    const target = { ...httpGet, host: httpGet.host || HERE, port: portOf(httpGet.port, container) }
    return (begin) => checkHttp(target, begin())
  }
  if (tcpSocket !== undefined) {
    return (begin) => checkTcp(tcpSocket.host || HERE, portOf(tcpSocket.port, container), begin())
  }
  if (grpc !== undefined) return (begin) => checkGrpc(HERE, grpc.port, grpc.service ?? '', begin())
  return async () => ({ ok: false, message: 'missing probe handler' })
}

/** Returns a port by its number or by its name in the container; 0, where nothing listens, for an unknown name. */
function portOf(port: number | string, container: Container): number {
  if (typeof port === 'number') return port
  if (/^\d+$/.test(port)) return Number(port)
  return container.ports?.find(({ name }) => name === port)?.containerPort ?? 0
}
