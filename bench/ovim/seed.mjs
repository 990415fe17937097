// What the benchmark of OVIM creates before it measures: tenants, and credentials for each agent.
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from '../../packages/kinds/dist/index.js'
import { Organization, Template, VirtualDataCenter } from '../../packages/ovim/dist/index.js'

const NAMESPACE = 'bench-agents'
const ZONES_PER_ORGANIZATION = 50
const PARALLEL = 16

export const zoneName = (index) => `zone-${index}`
export const organizationOf = (index) => `org${Math.floor(index / ZONES_PER_ORGANIZATION)}`

/** Calls `act` with the numbers below `count`, some at a time. */
export async function inParallel(count, act, parallel = PARALLEL) {
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) await act(index)
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

/** A service account for each agent that may act for its zone only. Returns their zones and tokens. */
export async function createIdentities(client, count) {
  await client.create(Namespace, { metadata: { name: NAMESPACE } })
  const identities = new Array(count)
  await inParallel(count, async (index) => {
    const zone = zoneName(index)
    const metadata = { namespace: NAMESPACE, name: zone }
    await client.create(ServiceAccount, { metadata })
    await client.create(ClusterRole, {
      metadata: { name: `bench-${zone}` },
      rules: [{ apiGroups: ['ovim.io'], resources: ['zones/agent'], resourceNames: [zone], verbs: ['update'] }],
    })
    await client.create(ClusterRoleBinding, {
      metadata: { name: `bench-${zone}` },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: `bench-${zone}` },
      subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name: zone }],
    })
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata,
      spec: { expirationSeconds: 86_400 },
    }
    const { status } = await client.create(ServiceAccount, review, { subresource: 'token' })
    identities[index] = { zone, token: status.token }
  })
  return identities
}

export async function createOrganizations(client, zones) {
  const names = new Set(Array.from({ length: zones }, (_, index) => organizationOf(index)))
  for (const name of names) await client.create(Organization, { metadata: { name }, spec: {} })
  await client.create(Template, {
    metadata: { namespace: 'ovim-system', name: 'small' },
    spec: { osType: 'linux', cpu: 1, memory: '1Gi', image: { containerDisk: 'example.com/disk:1' } },
  })
}

export async function createVdcs(client, zones) {
  await inParallel(zones, (index) =>
    client.create(VirtualDataCenter, {
      metadata: { namespace: `org-${organizationOf(index)}`, name: zoneName(index) },
      spec: { zoneId: zoneName(index) },
    }),
  )
}
