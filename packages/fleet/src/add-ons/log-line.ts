import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'

/** A container of a pod. */
export interface ContainerRef {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** A stack trace of Node.js has the error above these many lines. */
const LINES = 40
const MAX_LENGTH = 300
/** The first line of an error with a stack trace, and what `runCommands` writes. */
const ERROR = /(?:^|\s)\w*Error\b.*: |\bforbidden\b/
/** Lines of a stack trace, and what Node.js writes when it exits because of an error. */
const NOISE = /^\s+at |^Node\.js v|^\s*[{}^]*\s*$/

/**
 * The line of a crashed container's logs that says why it exited: the last error, or else the last line. Undefined if there are no
 * logs, or they cannot be read.
 */
export async function lastLogLine(
  client: KubeClient,
  { namespace, pod, container }: ContainerRef,
  { signal }: CallOptions = {},
): Promise<string | undefined> {
  const read = async (previous: boolean) => {
    const query = `container=${container}&tailLines=${LINES}${previous ? '&previous=true' : ''}`
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`
    const response = await client.raw({ method: 'GET', path, ...(signal !== undefined && { signal }) })
    return response.status === 200 ? (await response.bytes()).toString() : ''
  }
  // The current container may have just started, and the previous one may be gone.
  return tellingLine(await read(true)) ?? tellingLine(await read(false))
}

/** The line of a log that says most about an exit. */
export function tellingLine(log: string): string | undefined {
  const lines = log.split('\n').filter((line) => !NOISE.test(line))
  const line = (lines.findLast((one) => ERROR.test(one)) ?? lines.at(-1))?.trim()
  if (line === undefined || line === '') return undefined
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}
