import { CLUSTER_GROUP, Placement } from '@orrery/api'
import type { UserInfo } from '@orrery/kinds/authentication'
import { StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { limited, reviewAccess } from '@orrery/kube/serving'
import { InvalidPlacement, parsePlacement } from './parse-placement.js'
import {
  type ClusterScore,
  compilePlacement,
  type FilterResult,
  Misconfigured,
  misconfiguredSchedule,
  type PrioritizerResult,
  schedule,
} from './scheduling/index.js'
import { readSnapshot } from './snapshot.js'

/** The path of the debug endpoint, as in Open Cluster Management: `/debug/placements/<namespace>/<name>`. */
export const PLACEMENT_DEBUG_PATH = '/debug/placements/'

/** The maximum size of a Placement in a request. */
const MAX_DEBUG_BODY_BYTES = 1024 * 1024

/** A request to the debug endpoint, over any transport. */
export interface DebugRequest {
  readonly method: string
  readonly path: string
  /** Undefined if the request is not authenticated. */
  readonly user: UserInfo | undefined
  /** Reads the body. Throws a 413 `StatusError` beyond `limit` bytes. */
  body(limit: number): Buffer | Promise<Buffer>
}

/** The document of Open Cluster Management's debug endpoint. Empty lists are left out. */
export interface DebugResult {
  readonly placement?: object
  readonly filteredPipelineResults?: readonly FilterResult[]
  readonly prioritizeResults?: readonly PrioritizerResult[]
  readonly aggregatedScores?: readonly ClusterScore[]
  readonly error?: string
}

export interface DebugAnswer {
  readonly code: number
  readonly result: DebugResult
}

/** A response with an error. */
class Refused extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Answers a request to the debug endpoint: how a placement is scheduled now. `GET` is for an existing placement, `POST` for
 * the Placement in the body. The user needs permission to get or create placements in the namespace.
 */
export async function answerDebugRequest(client: KubeClient, request: DebugRequest): Promise<DebugAnswer> {
  try {
    return { code: 200, result: await debug(client, request) }
  } catch (error) {
    if (error instanceof Refused || error instanceof StatusError) {
      return { code: error.code, result: { error: error.message } }
    }
    throw error
  }
}

async function debug(client: KubeClient, request: DebugRequest): Promise<DebugResult> {
  const { method, user } = request
  if (method !== 'GET' && method !== 'POST') throw new Refused(405, `method ${method} not allowed: use GET or POST`)
  if (user === undefined)
    throw new Refused(401, 'user information not found: send a bearer token or a client certificate')
  const placement = method === 'GET' ? await requested(client, user, request) : await posted(client, user, request)
  const result = await scheduled(client, placement)
  const filters = result.filterResults()
  const prioritizers = result.prioritizerResults()
  const totals = result.aggregatedScores()
  return {
    placement: withoutStatus(placement),
    ...(filters.length > 0 && { filteredPipelineResults: filters }),
    ...(prioritizers.length > 0 && { prioritizeResults: prioritizers }),
    ...(totals.length > 0 && { aggregatedScores: totals }),
  }
}

/** Each request reads all clusters, so a flood of them must not slow down the hub. */
const MAX_REQUESTS = 4

const scheduled = limited(MAX_REQUESTS, 'placements', async (client: KubeClient, placement: Placement) => {
  const { sets, candidates, state } = await readSnapshot(client, placement, new Date())
  try {
    return schedule(compilePlacement(placement), sets, candidates, state)
  } catch (error) {
    if (error instanceof Misconfigured) return misconfiguredSchedule(sets, candidates)
    throw error
  }
})

async function requested(client: KubeClient, user: UserInfo, { path }: DebugRequest): Promise<Placement> {
  const [namespace = '', name = '', ...more] = path.slice(PLACEMENT_DEBUG_PATH.length).split('/')
  if (namespace === '' || name === '' || more.length > 0) {
    throw new Refused(400, `invalid debug path: use ${PLACEMENT_DEBUG_PATH}<namespace>/<name>`)
  }
  await requirePermission(client, user, 'get', namespace)
  const placement = await client.find(Placement, { namespace, name })
  if (placement === undefined) throw new Refused(404, `placement '${name}' not found`)
  return placement
}

async function posted(client: KubeClient, user: UserInfo, request: DebugRequest): Promise<Placement> {
  const placement = placementFrom(await request.body(MAX_DEBUG_BODY_BYTES))
  await requirePermission(client, user, 'create', placement.metadata.namespace)
  return placement
}

function placementFrom(body: Buffer): Placement {
  try {
    return parsePlacement(JSON.parse(body.toString('utf8')), { namespace: '', name: '' })
  } catch (error) {
    if (!(error instanceof InvalidPlacement || error instanceof SyntaxError)) throw error
    throw new Refused(400, `failed to unmarshal placement JSON: ${error.message}`)
  }
}

async function requirePermission(client: KubeClient, user: UserInfo, verb: string, namespace: string): Promise<void> {
  const resourceAttributes = { namespace, verb, group: CLUSTER_GROUP, version: 'v1beta1', resource: 'placements' }
  const { allowed, reason } = await reviewAccess(client, user, { resourceAttributes })
  if (allowed) return
  throw new Refused(403, `user does not have permission to ${verb} placements in namespace ${namespace}: ${reason}`)
}

/** Only what users write. */
function withoutStatus({ metadata, spec }: Placement): object {
  const { name, namespace, labels, annotations } = metadata
  return {
    metadata: {
      name,
      namespace,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    spec,
    status: { numberOfSelectedClusters: 0, decisionGroups: null, conditions: null },
  }
}
