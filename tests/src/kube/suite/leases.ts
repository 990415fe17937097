import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Lease } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { LeaderElection } from '@orrery/kube/election'
import { keepLease, leaseExpiry, renewLease } from '@orrery/kube/lease'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { type Connect, counting } from './subject.js'

/** Leases and leader election. */
export function leasesSuite(where: string, connect: Connect): void {
  test(`${where}: a lease is created, renewed and recreated, with other writers`, async (t) => {
    const { client, namespace } = await connect(t)
    const ref = { namespace, name: 'life' }
    const clock = new FakeClock()
    await assert.rejects(renewLease(client, ref, { clock, create: false }), isNotFound)
    const first = await renewLease(client, ref, { clock, leaseDurationSeconds: 60, labels: { a: 'b' } })
    assert.deepEqual(first.spec, { leaseDurationSeconds: 60, renewTime: '2030-01-01T00:00:00.000000Z' })
    assert.deepEqual(first.metadata.labels, { a: 'b' })
    clock.advance(1_500)
    const transport = counting(client.transport)
    const second = await renewLease(new KubeClient(transport), ref, { clock, last: first })
    assert.equal(transport.requests.length, 1)
    assert.deepEqual(leaseExpiry(second), new Date('2030-01-01T00:01:01.500Z'))
    const third = await renewLease(client, ref, { clock, last: first, holderIdentity: 'me' })
    assert.deepEqual(third.spec, { ...second.spec, holderIdentity: 'me' })
    await client.delete(Lease, ref)
    assert.equal((await renewLease(client, ref, { clock, last: third })).spec?.holderIdentity, undefined)
  })

  test(`${where}: keepLease renews a lease while its holder is healthy`, async (t) => {
    const { client, namespace } = await connect(t)
    const ref = { namespace, name: 'kept' }
    const clock = new FakeClock()
    let isWell = true
    // The pause is random and starts at the end of each round.
    let rounds = 0
    const random = () => {
      rounds++
      return 0
    }
    const kept = keepLease(client, ref, { periodMilliseconds: 60_000, clock, random, isHealthy: () => isWell })
    const renewed = async () => (await client.find(Lease, ref))?.spec?.renewTime
    await eventually('the first round is over', () => rounds === 1)
    assert.equal(await renewed(), '2030-01-01T00:00:00.000000Z')
    await client.delete(Lease, ref)
    clock.advance(60_000)
    await eventually('the second round is over', () => rounds === 2)
    assert.equal(await renewed(), '2030-01-01T00:01:00.000000Z')
    isWell = false
    clock.advance(60_000)
    await eventually('the third round is over', () => rounds === 3)
    assert.equal(await renewed(), '2030-01-01T00:01:00.000000Z')
    await kept.stop()
  })

  test(`${where}: leadership is passed on when a leader releases it`, async (t) => {
    const { client, namespace } = await connect(t)
    const lease = { namespace, name: 'leader' }
    const clock = new FakeClock()
    const candidate = (identity: string) => new LeaderElection({ client, lease, identity, clock, random: () => 0 })
    const never = new AbortController().signal
    const [first, second] = [candidate('first'), candidate('second')]
    const leading = await first.whenLeader(never)
    const following = second.whenLeader(never)
    await eventually('the second has seen the first', () => second.leader === 'first')
    await first.release()
    assert.ok(leading.aborted)
    const { spec } = await client.get(Lease, lease)
    assert.deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds, spec?.leaseTransitions], ['', 1, 0])
    await turn()
    await eventually('the second leads', () => {
      clock.advance(500)
      return second.isLeader
    })
    assert.ok(!(await following).aborted)
    assert.equal((await client.get(Lease, lease)).spec?.leaseTransitions, 1)
    await second.release()
  })
}
