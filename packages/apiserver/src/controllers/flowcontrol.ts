import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import {
  AUTO_UPDATE,
  MANDATORY_LEVELS,
  MANDATORY_SCHEMAS,
  SUGGESTED_LEVELS,
  SUGGESTED_SCHEMAS,
} from '../flowcontrol/bootstrap.js'
import { FLOW_SCHEMAS_BUCKET, type FlowSchema, GROUP, PRIORITY_LEVELS_BUCKET } from '../flowcontrol/types.js'
import type { ResourceRef } from '../registry/internal.js'
import { allKeys, type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { withCondition } from './with-condition.js'

const FLOW_SCHEMAS: ResourceRef = { group: GROUP, resource: 'flowschemas' }
const PRIORITY_LEVELS: ResourceRef = { group: GROUP, resource: 'prioritylevelconfigurations' }

interface Expected {
  readonly object: KubeObject & { readonly spec: object }
  readonly isMandatory: boolean
}

function expectations(mandatory: readonly Expected['object'][], suggested: readonly Expected['object'][]) {
  const all = new Map<string, Expected>()
  for (const object of mandatory) all.set(object.metadata.name ?? '', { object, isMandatory: true })
  for (const object of suggested) all.set(object.metadata.name ?? '', { object, isMandatory: false })
  return all
}

/** Keeps the mandatory and the suggested priority levels and flow schemas up to date. */
export function flowControlBootstrap(context: ControllerContext): Controller {
  const levels = expectations(MANDATORY_LEVELS, SUGGESTED_LEVELS)
  const schemas = expectations(MANDATORY_SCHEMAS, SUGGESTED_SCHEMAS)
  return reconciler(context, {
    name: 'flow-control-bootstrap',
    wakes: {
      [PRIORITY_LEVELS_BUCKET]: ({ entry }) => (levels.has(entry.name) ? `level/${entry.name}` : undefined),
      [FLOW_SCHEMAS_BUCKET]: ({ entry }) => (schemas.has(entry.name) ? `schema/${entry.name}` : undefined),
    },
    first: () => [
      ...[...levels.keys()].map((name) => `level/${name}`),
      ...[...schemas.keys()].map((name) => `schema/${name}`),
    ],
    concurrency: levels.size + schemas.size,
    reconcile(key) {
      const [kind, name = ''] = key.split('/')
      return kind === 'level'
        ? maintain(context, PRIORITY_LEVELS, levels.get(name))
        : maintain(context, FLOW_SCHEMAS, schemas.get(name))
    },
  })
}

async function maintain(
  { client }: ControllerContext,
  ref: ResourceRef,
  expected: Expected | undefined,
): Promise<void> {
  if (expected === undefined) return
  const { object, isMandatory } = expected
  const { name = '' } = object.metadata
  if (client.get(ref, '', name) === undefined) return createIfMissing(client, ref, structuredClone(object))
  await client.change(ref, '', name, (live) => {
    const asked = live.metadata.annotations?.[AUTO_UPDATE]
    // Without the annotation, an object that was never changed is managed by the server.
    const isKept = isMandatory || asked === 'true' || (asked === undefined && live.metadata.generation === 1)
    if (!isKept) return live
    const spec = name === 'exempt' && ref === PRIORITY_LEVELS ? live.spec : structuredClone(object.spec)
    if (asked === 'true' && isDeepStrictEqual(live.spec, spec)) return live
    const annotations = { ...live.metadata.annotations, [AUTO_UPDATE]: 'true' }
    return { ...live, metadata: { ...live.metadata, annotations }, spec } as KubeObject
  })
}

/** Sets the `Dangling` condition of flow schemas. */
export function flowSchemaStatus(context: ControllerContext): Controller {
  const { store } = context
  return reconciler(context, {
    name: 'flow-schema-status',
    wakes: {
      [FLOW_SCHEMAS_BUCKET]: changedKey,
      [PRIORITY_LEVELS_BUCKET]: ({ type }) =>
        type === 'MODIFIED' ? undefined : [...allKeys(store, FLOW_SCHEMAS_BUCKET)],
    },
    first: () => allKeys(store, FLOW_SCHEMAS_BUCKET),
    reconcile: (name) => reportDangling(context, name),
  })
}

async function reportDangling({ client, clock }: ControllerContext, name: string): Promise<void> {
  const report = (live: KubeObject): KubeObject => {
    const level = (live as FlowSchema).spec.priorityLevelConfiguration.name
    const isThere = client.get(PRIORITY_LEVELS, '', level) !== undefined
    const finding: Finding = {
      type: 'Dangling',
      status: isThere ? 'False' : 'True',
      reason: isThere ? 'Found' : 'NotFound',
      message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${isThere ? 'and it exists' : 'but there is no such object'}`,
    }
    return withCondition(live, finding, clock.now())
  }
  await client.change(FLOW_SCHEMAS, '', name, report, 'status')
}
