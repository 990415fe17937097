import { isForbidden, isNotFound, StatusError } from '@orrery/kinds/values'
import type { MaestroWorkClient } from '@orrery/maestro'
import type { SelectedServer } from './selected-server.js'

/** Fails if the consumer does not exist: its works are an empty list too. Callers that may not read consumers pass. */
export async function requireConsumer(
  { consumers }: MaestroWorkClient,
  name: string,
  server: SelectedServer,
): Promise<void> {
  try {
    await consumers.get(name)
  } catch (error) {
    if (isNotFound(error)) throw consumerNotFound(name, server)
    if (!isForbidden(error)) throw error
  }
}

/** The error for a work of a consumer that does not exist. Others are returned unchanged. */
export function explainConsumer(error: unknown, name: string, server: SelectedServer): unknown {
  const isMissing = error instanceof StatusError && isNotFound(error) && error.status.details?.kind === 'consumers'
  return isMissing ? consumerNotFound(name, server) : error
}

/** The error for a consumer that does not exist. */
export function consumerNotFound(name: string, server: SelectedServer): Error {
  const { command, fleet } = server
  // The consumers of a fleet are its clusters.
  const create = fleet === undefined ? `, or create it with ${command(`maestro apply consumer ${name}`)}` : ''
  return new Error(`consumer ${name} not found: ${listOfConsumers(server)}${create}`)
}

/** How to find the names of consumers. */
export function listOfConsumers({ command }: SelectedServer): string {
  return `list consumers with ${command('maestro get consumers')}`
}

/** The error for a work that the source does not have. */
export function workNotFound(name: string, consumer: string, source: string, { command }: SelectedServer): Error {
  const list = command(`maestro get works --consumer ${consumer} --all-sources`)
  return new Error(`work ${consumer}/${name} of source ${source} not found: list works with ${list}`)
}
