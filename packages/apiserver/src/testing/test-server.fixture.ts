import type { TestContext } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import type { ApiServer } from '../server/api-server.js'
import type { ApiServerOptions } from '../server/options.js'
import { startApiServer } from '../server/server.js'
import { PathClient, type PathEvent } from './path-client.fixture.js'

/** Starts a server in the test process and closes it after the test. By default it does not listen. */
export async function testServer(
  t: Pick<TestContext, 'after'>,
  options: ApiServerOptions = {},
): Promise<{ server: ApiServer; client: PathClient }> {
  const server = await startApiServer({ host: false, ...options })
  t.after(() => server.close())
  return { server, client: new PathClient(server.client()) }
}

/** Returns a client of another user than the administrator. */
export function clientAs(server: ApiServer, identity: Identity): PathClient {
  return new PathClient(server.client({ identity }))
}

/** Returns the error of a request. */
export async function failureOf(request: Promise<unknown>): Promise<StatusError> {
  try {
    await request
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('the request was served')
}

/** Reads a watch until an event meets the condition, and returns all events up to it. */
export async function eventsUntil(
  client: PathClient,
  path: string,
  isLast: (event: PathEvent) => boolean,
  whenOpen: () => void | Promise<void> = () => undefined,
): Promise<PathEvent[]> {
  const stop = new AbortController()
  const events: PathEvent[] = []
  const watch = client.watch(path, stop.signal)
  const first = watch.next()
  await whenOpen()
  for (let step = await first; !step.done; step = await watch.next()) {
    events.push(step.value)
    if (isLast(step.value)) break
  }
  stop.abort()
  await watch.return(undefined)
  return events
}

/** Waits until an object meets a condition, woken by its changes. */
export async function whenObject(
  client: PathClient,
  collection: string,
  name: string,
  holds: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  const path = `${collection}?fieldSelector=metadata.name=${name}`
  const events = await eventsUntil(client, path, ({ type, object }) => type !== 'DELETED' && holds(object))
  return events.at(-1)?.object as KubeObject
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Creates a CustomResourceDefinition and waits until it is served. */
export async function define(
  client: PathClient,
  definition: { readonly metadata: { readonly name: string }; readonly spec: object },
): Promise<void> {
  await client.create(DEFINITIONS, definition)
  await whenObject(client, DEFINITIONS, definition.metadata.name, ({ status }) => {
    const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] }
    return conditions.some((condition) => condition.type === 'Established' && condition.status === 'True')
  })
}

/** Waits until an object is deleted. */
export async function untilGone(client: PathClient, collection: string, name: string): Promise<void> {
  const path = `${collection}?fieldSelector=metadata.name=${name}`
  const list = await client.get<{ metadata: { resourceVersion: string }; items: KubeObject[] }>(path)
  if (list.items.length === 0) return
  await eventsUntil(
    client,
    `${path}&resourceVersion=${list.metadata.resourceVersion}`,
    ({ type }) => type === 'DELETED',
  )
}
