import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, CoreEvent, Event } from '@orrery/kinds'
import { EventRecorder } from '@orrery/kube/events'
import type { Connect } from './subject.js'

/** Events about objects. */
export function eventsSuite(where: string, connect: Connect): void {
  for (const apiVersion of ['events.k8s.io/v1', 'v1'] as const) {
    test(`${where}: repeated events are counted in one event of ${apiVersion}`, async (t) => {
      const { client, namespace } = await connect(t)
      const regarding = await client.create(ConfigMap, { metadata: { namespace, name: 'stage' } })
      const recorder = new EventRecorder(client, { controller: 'example.com/suite', apiVersion })
      for (let i = 0; i < 3; i++) recorder.record({ regarding, type: 'Warning', reason: 'Rang', note: 'the bell' })
      recorder.record({ regarding, related: regarding, reason: 'Opened', action: 'Open', note: 'the door' })
      await recorder.close()
      assert.equal(recorder.dropped, 0)
      const { items } = await client.list(Event, { namespace })
      const seen = items.filter(({ reportingController }) => reportingController === 'example.com/suite')
      assert.deepEqual(seen.map(({ type, reason, action, note }) => [type, reason, action, note]).sort(), [
        ['Normal', 'Opened', 'Open', 'the door'],
        ['Warning', 'Rang', 'Rang', 'the bell'],
      ])
      const rang = seen.find(({ reason }) => reason === 'Rang')
      assert.equal(apiVersion === 'v1' ? rang?.deprecatedCount : rang?.series?.count, 3)
      const core = await client.list(CoreEvent, { namespace, fieldSelector: 'involvedObject.name=stage,reason=Rang' })
      assert.equal(core.items[0]?.involvedObject.uid, regarding.metadata.uid)
    })
  }

  test(`${where}: events of v1 with different notes are separate, until there are too many`, async (t) => {
    const { client, namespace } = await connect(t)
    const regarding = await client.create(ConfigMap, { metadata: { namespace, name: 'ladder' } })
    const recorder = new EventRecorder(client, { controller: 'example.com/suite', apiVersion: 'v1' })
    for (let step = 1; step <= 12; step++) recorder.record({ regarding, reason: 'Climbed', note: `to ${step}` })
    await recorder.close()
    assert.equal(recorder.dropped, 0)
    const { items } = await client.list(CoreEvent, { namespace, fieldSelector: 'involvedObject.name=ladder' })
    assert.deepEqual(
      items.map(({ count, message }) => `${count} ${message}`).sort(),
      [
        ...Array.from({ length: 9 }, (_, index) => `1 to ${index + 1}`),
        '3 (combined from similar events): to 12',
      ].sort(),
    )
  })
}
