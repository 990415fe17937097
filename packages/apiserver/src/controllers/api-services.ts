import type { KubeObject } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import { CUSTOM_GROUP_PRIORITY, groupPriority } from '../discovery/group-priority.js'
import { bucketOf } from '../registry/internal.js'
import { type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { API_SERVICES } from './resources.js'
import { withCondition } from './with-condition.js'

const BUCKET = bucketOf(API_SERVICES)
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged'
const AVAILABLE: Finding = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

interface Wanted {
  readonly group: string
  readonly version: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
  readonly managed: 'onstart' | 'true'
}

const VERSION_PRIORITY: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
}
const STABLE_PRIORITY = 15
const UNSTABLE_PRIORITY = 9
const CUSTOM = { groupPriorityMinimum: CUSTOM_GROUP_PRIORITY, versionPriority: 100, managed: 'true' } as const

/** Keeps an APIService for every served group version. */
export function apiServices(context: ControllerContext): Controller {
  const { catalog, client, store } = context
  let wanted = wantedServices(context)
  return reconciler(context, {
    name: 'api-services',
    wakes: { [BUCKET]: changedKey },
    first: () =>
      new Set([...wanted.keys(), ...store.page({ bucket: BUCKET, namespace: '' }).entries.map(({ name }) => name)]),
    follow: (add) =>
      catalog.onChange(() => {
        const before = wanted
        wanted = wantedServices(context)
        for (const name of before.keys()) if (!wanted.has(name)) add(name)
        for (const name of wanted.keys()) if (!before.has(name)) add(name)
      }),
    async reconcile(name) {
      const service = wanted.get(name)
      const existing = client.get(API_SERVICES, '', name)
      if (service === undefined) {
        if (existing?.metadata.labels?.[AUTOMANAGED] !== undefined) await client.delete(API_SERVICES, '', name)
        return
      }
      await createIfMissing(client, API_SERVICES, objectOf(name, service))
      await client.change(
        API_SERVICES,
        '',
        name,
        (live) => withCondition(live, AVAILABLE, context.clock.now()),
        'status',
      )
    },
  })
}

function wantedServices({ catalog, embeddedGroupVersions }: ControllerContext): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const { group, version, custom } of catalog.resources()) {
    const name = `${version}.${group}`
    // The group of the APIService kind itself is not listed.
    if (group === 'apiregistration.k8s.io' || wanted.has(name)) continue
    wanted.set(name, custom ? { group, version, ...CUSTOM } : { group, version, ...builtinPriority(group, version) })
  }
  for (const { group, version } of embeddedGroupVersions)
    wanted.set(`${version}.${group}`, { group, version, ...CUSTOM })
  return wanted
}

function builtinPriority(group: string, version: string): Omit<Wanted, 'group' | 'version'> {
  const stable = /^v\d+$/.test(version)
  const versionPriority = VERSION_PRIORITY[`${group}/${version}`] ?? (stable ? STABLE_PRIORITY : UNSTABLE_PRIORITY)
  return {
    groupPriorityMinimum: groupPriority(group),
    versionPriority,
    managed: 'onstart',
  }
}

function objectOf(name: string, { managed, group, ...rest }: Wanted): KubeObject {
  const spec = group === '' ? rest : { group, ...rest }
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [AUTOMANAGED]: managed } },
    spec,
  }
}
