import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInvalid, type StatusError } from '@orrery/kinds/values'
import type { Kind } from '@orrery/kube'
import {
  Catalog,
  Operation,
  Organization,
  ovimCrds,
  Template,
  VirtualDataCenter,
  VirtualMachineRequest,
  Zone,
} from '@orrery/ovim'
import { startPreparedServer } from '../support/prepared-server.js'
import { afterwards } from '../support/server.js'

const IN = { namespace: 'default' }
const VM = { vdc: 'dev', template: 'small' }
const TEMPLATE = { osType: 'linux', cpu: 1, memory: '1Gi', image: { containerDisk: 'example.com/disk' } }
const OPERATION = { type: 'VMStart', zone: 'east', target: { kind: 'Zone', name: 'east' }, payload: {} }

/** A specification that is not valid, and the field that the error names. */
const INVALID: [Kind<never, object>, object, string][] = [
  [Organization, { admins: [{ kind: 'Robot', name: 'x' }] }, 'spec.admins[0].kind'],
  [Organization, { admins: [{ kind: 'ServiceAccount', name: 'x' }] }, 'spec.admins[0].namespace'],
  [Organization, { users: [{ kind: 'User', name: 'x', namespace: 'y' }] }, 'spec.users[0].namespace'],
  [Organization, { users: [{ kind: 'Group', name: 'system:authenticated' }] }, 'spec.users[0].name'],
  [Organization, { isEnabled: 'yes' }, 'spec.isEnabled'],
  [VirtualDataCenter, {}, 'spec.zoneId'],
  [VirtualDataCenter, { zoneId: 'a', placementRef: { name: 'p' } }, 'spec.zoneId'],
  [VirtualDataCenter, { zoneId: 'a', quota: { cpu: 'many' } }, 'spec.quota.cpu'],
  [VirtualDataCenter, { zoneId: 'a', quota: { memory: '-1Gi' } }, 'spec.quota.memory'],
  [VirtualDataCenter, { zoneId: 'a', quota: { cpu: 0 } }, 'spec.quota.cpu'],
  [VirtualDataCenter, { zoneId: 'a', limitRange: { minCpu: '2', maxCpu: '500m' } }, 'spec.limitRange.minCpu'],
  [VirtualDataCenter, { zoneId: 'a', limitRange: { minMemory: '2Gi', maxMemory: '1G' } }, 'spec.limitRange.minMemory'],
  [VirtualDataCenter, { zoneId: 'a', networkPolicy: 'open' }, 'spec.networkPolicy'],
  [VirtualDataCenter, { zoneId: 'a', networkPolicy: 'custom' }, 'spec.customNetworkConfig'],
  [VirtualDataCenter, { zoneId: 'a', customNetworkConfig: {} }, 'spec.customNetworkConfig'],
  [Template, { ...TEMPLATE, image: {} }, 'spec.image'],
  [Template, { ...TEMPLATE, image: { containerDisk: 'a', registry: 'docker://b' } }, 'spec.image'],
  [Template, { ...TEMPLATE, image: { http: 'ftp://a' }, storage: '1Gi' }, 'spec.image.http'],
  [Template, { ...TEMPLATE, image: { http: 'https://a' } }, 'spec.storage'],
  [Template, { ...TEMPLATE, cpu: 0 }, 'spec.cpu'],
  [Template, { ...TEMPLATE, memory: 'x' }, 'spec.memory'],
  [VirtualMachineRequest, { template: 'small' }, 'spec.vdc'],
  [VirtualMachineRequest, { vdc: 'dev' }, 'spec.template'],
  [VirtualMachineRequest, { ...VM, powerState: 'On' }, 'spec.powerState'],
  [VirtualMachineRequest, { ...VM, networkName: 'a/b' }, 'spec.networkName'],
  [VirtualMachineRequest, { ...VM, sshKeys: ['x'] }, 'spec.sshKeys[0]'],
  [VirtualMachineRequest, { ...VM, restartedAt: 'now' }, 'spec.restartedAt'],
  [VirtualMachineRequest, { ...VM, labels: { 'vm.kubevirt.io/os': 'x' } }, 'spec.labels'],
  [Operation, { ...OPERATION, type: 'Explode' }, 'spec.type'],
  [Operation, { ...OPERATION, timeoutSeconds: 0 }, 'spec.timeoutSeconds'],
  [Operation, { ...OPERATION, zone: 'East' }, 'spec.zone'],
  [Catalog, { templates: ['A'] }, 'spec.templates[0]'],
  [Zone, { clusterName: 'A B' }, 'spec.clusterName'],
] as never

/** Valid specifications and changes that are not allowed. */
const IMMUTABLE: [Kind<never, object>, object, object, string][] = [
  [VirtualDataCenter, { zoneId: 'a' }, { zoneId: 'b' }, 'spec.zoneId'],
  [VirtualDataCenter, { zoneId: 'a' }, { zoneId: null, placementRef: { name: 'p' } }, 'spec.zoneId'],
  [VirtualMachineRequest, VM, { vdc: 'other' }, 'spec.vdc'],
  [VirtualMachineRequest, VM, { template: 'other' }, 'spec.template'],
  [Operation, OPERATION, { zone: 'west' }, 'spec'],
  [Operation, OPERATION, { payload: { a: 1 } }, 'spec'],
] as never

function names(field: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isInvalid(error), String(error))
    const fields = (error as StatusError).status.details?.causes?.map((cause) => cause.field)
    assert.ok(fields?.includes(field), `${field} is not in ${JSON.stringify(fields)}`)
    return true
  }
}

test('kinds of OVIM: the API server names the fields that are not valid', async (t) => {
  const server = await startPreparedServer('ovim', { host: false })
  afterwards(t, () => server.close())
  const client = server.client()
  const metadata = (kind: Kind<never, object>, name: string) => ({ name, ...(kind.scope === 'Namespaced' && IN) })
  for (const [kind, spec, field] of INVALID) {
    const created = client.create(kind, { metadata: metadata(kind, 'x'), spec } as never, { fieldValidation: 'Strict' })
    await assert.rejects(created, names(field), `${kind.kind} ${JSON.stringify(spec)}`)
  }
  for (const [kind, name] of [
    [Organization, 'a'.repeat(29)],
    [Organization, 'a.b'],
    [Organization, 'public'],
    [VirtualDataCenter, 'a'.repeat(31)],
    [VirtualMachineRequest, 'a.b'],
  ] as unknown as [Kind<never, object>, string][]) {
    const spec = kind.kind === 'VirtualDataCenter' ? { zoneId: 'a' } : kind.kind === 'Organization' ? {} : VM
    await assert.rejects(client.create(kind, { metadata: metadata(kind, name), spec } as never), /metadata\.name must/)
  }
  for (const [index, [kind, spec, change, field]] of IMMUTABLE.entries()) {
    const ref = metadata(kind, `o${index}`)
    await client.create(kind, { metadata: ref, spec } as never)
    await assert.rejects(client.patch(kind, ref, { spec: change }), names(field), JSON.stringify(change))
  }
})

test('kinds of OVIM: every kind has columns, and every field a description', () => {
  const crds = ovimCrds()
  assert.equal(crds.length, 7)
  for (const crd of crds) {
    const [version] = crd.spec.versions
    assert.ok((version?.additionalPrinterColumns?.length ?? 0) > 1, crd.metadata.name ?? '')
    const walk = (schema: Record<string, unknown>, path: string): void => {
      if (path !== '' && !/\.(metadata|apiVersion|kind)$/.test(path))
        assert.ok(schema.description, `${crd.metadata.name} ${path}`)
      const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>
      for (const [name, inner] of Object.entries(properties)) walk(inner, `${path}.${name}`)
      const { items } = schema as { items?: { properties?: object } }
      if (items?.properties !== undefined) walk(items as never, `${path}[]`)
    }
    walk(version?.schema?.openAPIV3Schema as never, '')
  }
})
