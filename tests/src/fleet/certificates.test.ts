import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT_NAMESPACE, HUB_KUBECONFIG_SECRET } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { parseCertificatePem } from '@orrery/kube/pki'
import { configMap } from '../agent/work-pair.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000

async function certificateOn(spoke: TlsSpoke) {
  const { data } = await spoke.client.get(Secret, { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET })
  return parseCertificatePem(Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString('utf8'))
}

test('certificates: works continue while certificates expire and are rotated', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1', { certificateSeconds: 3_600 })
  const first = await certificateOn(spoke)
  const names: string[] = []
  while (hub.clock.now().getTime() < first.notAfter.getTime() + 70 * MINUTE) {
    const name = `w${names.length}`
    names.push(name)
    await hub.giveWork('c1', name, [configMap(name, { value: '1' })])
    await hub.wait(4 * MINUTE, 20_000)
  }
  for (const name of names) await hub.whenApplied('c1', name)
  const last = await certificateOn(spoke)
  assert.ok(last.notBefore > first.notAfter, 'there were several')
  const refused = spoke.asked.filter(({ status }) => status === 401 || status === 403)
  assert.deepEqual(refused, [])
})

test('certificates: one that expires while the hub is down is replaced with the bootstrap kubeconfig, and applied objects stay', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const agent = await spoke.join(hub, 'c1', { certificateSeconds: 3_600 })
  await hub.giveWork('c1', 'before', [configMap('before', { value: '1' })])
  await hub.whenApplied('c1', 'before')
  const uid = await spoke.uidOf('before')
  const first = await certificateOn(spoke)
  await hub.stop()
  await hub.wait(90 * MINUTE)
  await hub.resume()
  await hub.giveWork('c1', 'after', [configMap('after', { value: '1' })])
  await hub.eventually('works are applied again', async () => (await spoke.uidOf('after')) !== undefined, 1_000)
  await hub.whenApplied('c1', 'after')
  assert.notEqual((await certificateOn(spoke)).fingerprint, first.fingerprint)
  assert.equal(agent.state.phase, 'joined')
  assert.equal(await spoke.uidOf('before'), uid)
})
