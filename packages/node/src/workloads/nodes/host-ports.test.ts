import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerPort, Pod } from '@orrery/kinds'
import { hasPortConflict } from './host-ports.js'

function podWith(ports: Partial<ContainerPort>[], phase = 'Running'): Pod {
  return { metadata: {}, spec: { containers: [{ name: 'c', ports }] }, status: { phase } } as unknown as Pod
}

test('hasPortConflict: compares port, protocol and address', () => {
  const web = { hostPort: 80 }
  const conflicts = (one: Partial<ContainerPort>, other: Partial<ContainerPort>, phase?: string) =>
    hasPortConflict(podWith([one]), () => [podWith([{ hostPort: 1 }]), podWith([other], phase)])
  assert.equal(conflicts(web, web), true)
  assert.equal(conflicts(web, { hostPort: 81 }), false)
  assert.equal(conflicts(web, { ...web, protocol: 'UDP' }), false)
  assert.equal(conflicts({ ...web, hostIP: '10.0.0.1' }, web), true)
  assert.equal(conflicts(web, { ...web, hostIP: '10.0.0.1' }), true)
  assert.equal(conflicts({ ...web, hostIP: '10.0.0.2' }, { ...web, hostIP: '10.0.0.1' }), false)
  assert.equal(conflicts(web, web, 'Succeeded'), false)
  assert.equal(conflicts({ containerPort: 80 }, web), false)
})

test('hasPortConflict: time grows with the ports, not with their product', () => {
  const portsAt = (hostIP: string) => Array.from({ length: 9_000 }, (_, i) => ({ hostPort: i + 1, hostIP }))
  const others = Array.from({ length: 60 }, (_, i) => podWith(portsAt(`10.0.0.${i + 1}`)))
  const started = process.cpuUsage().user
  assert.equal(
    hasPortConflict(podWith(portsAt('10.0.1.1')), () => others),
    false,
  )
  assert.ok(process.cpuUsage().user - started < 5_000_000)
})
