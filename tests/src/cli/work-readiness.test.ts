import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import { ManifestWork, spokeCrds } from '@orrery/api'
import { ensureBootstrapToken, installHub } from '@orrery/hub'
import { acceptClusterWhenHere } from '@orrery/hub/operations'
import { CustomResourceDefinition, Pod } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { eventually, patience } from '@orrery/kube/testing'
import { startNode } from '@orrery/node'
import { orrery } from '../support/cli-here.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { CommandHub } from './command-hub.js'

/** A hub with one cluster that plays pods, all in this process. */
async function startFleet(t: TestContext) {
  const commands = await CommandHub.start(t)
  const [hub, edge] = await Promise.all([commands.serve('hub'), commands.serve('edge')])
  await installHub(hub.client)
  await commands.runHub(hub.client)
  const node = await startNode({ client: edge.client, directory: await temporaryDirectory(t), stopSeconds: 1 })
  afterwards(t, () => node.stop())
  for (const crd of spokeCrds()) await edge.client.create(CustomResourceDefinition, crd as never)
  const { url: server, certificateAuthority: ca } = hub.server
  const kubeconfig = await bootstrapKubeconfig({ server, ca, token: await ensureBootstrapToken(hub.client) })
  const agent = await startAgent({ spoke: edge.client, clusterName: 'edge', bootstrap: { kubeconfigs: [kubeconfig] } })
  afterwards(t, () => agent.close())
  await acceptClusterWhenHere(hub.client, 'edge', { signal: patience() })
  return { commands, hub: hub.client, edge: edge.client }
}

/** A Deployment whose pods have these annotations, or further fields in their spec. */
function deployment(name: string, annotations: Record<string, string>, more: object = {}): string {
  const labels = { app: name }
  const spec = { containers: [{ name: 'app', image: 'example.com/app:1' }], ...more }
  const template = { metadata: { labels, annotations }, spec }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name },
    spec: { selector: { matchLabels: labels }, template },
  })
}

test('orrery create work --wait: exits with 0 if the objects are ready, else with 1 and the reason of the pods', async (t) => {
  const { commands, hub, edge } = await startFleet(t)
  const create = async (name: string, manifest: string, ...options: readonly string[]) => {
    const file = join(commands.directory, `${name}.json`)
    await writeFile(file, manifest)
    return commands.run('create', 'work', name, '-f', file, '--clusters', 'edge', ...options)
  }

  const good = await create('good', deployment('good', {}), '--wait', '60')
  assert.equal(good.code, 0, good.out + good.errors)
  assert.match(good.out, /\nready\n$/)

  // It is ready for half a second each time.
  const crashing = deployment('crashing', { 'orrery.dev/play-duration': '500ms', 'orrery.dev/play-exit': '7' })
  const crashed = await create('crashing', crashing, '--wait', '60')
  assert.equal(crashed.code, 1, crashed.out + crashed.errors)
  assert.match(
    crashed.out,
    /edge\/crashing: manifest 1 \(Deployment default\/crashing\) Failed: .*CrashLoopBackOff: exited with code 7/,
  )
  assert.doesNotMatch(crashed.out, /ready\n$|applied\n$/)
  const logs = /`kubectl --context edge -n default logs (crashing-\S+) -c app --previous`/
  const pod = logs.exec(crashed.out)?.[1] ?? ''
  assert.ok((await edge.find(Pod, { namespace: 'default', name: pod })) !== undefined, crashed.out)

  const unpulled = await create('unpulled', deployment('unpulled', { 'orrery.dev/play-pull': 'fail' }), '--wait', '60')
  assert.equal(unpulled.code, 1, unpulled.out + unpulled.errors)
  assert.match(unpulled.out, /ImagePullBackOff: .*example\.com\/app:1/)

  const homeless = deployment('homeless', {}, { nodeSelector: { there: 'is-none' } })
  await create('homeless', homeless)
  await eventually('the reason is reported', async () => {
    const work = await hub.get(ManifestWork, { namespace: 'edge', name: 'homeless' })
    return findCondition(work.status?.conditions, 'Degraded')?.message.includes('Unschedulable') === true
  })
  const waiting = await create('homeless', homeless, '--overwrite', '--wait', '3')
  assert.equal(waiting.code, 1, waiting.out + waiting.errors)
  assert.match(
    waiting.errors,
    /work edge\/homeless was not ready within .*: Deployment default\/homeless: .*Unschedulable: 0\/1 nodes are/,
  )

  const applied = await create('homeless', homeless, '--overwrite', '--wait', '60', '--wait-for', 'applied')
  assert.equal(applied.code, 0, applied.out + applied.errors)
  assert.match(applied.out, /\napplied\n$/)

  const works = await commands.run('get', 'works')
  for (const [name, degraded] of [
    ['good', 'False'],
    ['unpulled', 'True'],
    ['homeless', 'True'],
  ]) {
    assert.match(works.out, new RegExp(`edge +${name} +True +True +\\S+ +${degraded} `))
  }
  assert.match(works.out, /Problems:\n[\s\S]*ImagePullBackOff/)
  assert.match(works.out, /Problems:\n[\s\S]*Unschedulable/)
  await eventually('the crashing work is degraded', async () => {
    const work = await hub.get(ManifestWork, { namespace: 'edge', name: 'crashing' })
    return findCondition(work.status?.conditions, 'Degraded')?.message.includes('CrashLoopBackOff') === true
  })

  const alone = await create('good', deployment('good', {}), '--wait-for', 'applied')
  assert.equal(alone.code, 2)
  assert.match(alone.errors, /requires '--wait'/)
})

test('orrery create work --wait: names objects whose pods are played', async (t) => {
  const { commands } = await startFleet(t)
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'c' } }
  const container = { name: 'app', image: 'example.com/app:1' }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'p' } }
  const web = JSON.parse(deployment('web', {}))
  const items = [configMap, { ...pod, spec: { containers: [container] } }, web]
  const create = async (name: string, objects: readonly object[]) => {
    const file = join(commands.directory, `${name}.json`)
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
    // The directory looks like that of a fleet: its kubeconfig has the contexts hub and edge.
    return orrery(
      ...['create', 'work', name, '-f', file, '--clusters', 'edge', '--wait', '60', '--data', commands.directory],
    )
  }
  const played = await create('played', items)
  assert.deepEqual([played.code, played.out], [0, 'work edge/played created\nready\n'], played.errors)
  assert.match(
    played.errors,
    /^These pods are played and run no containers: .*\n {2}Pod default\/p on edge\n {2}Deployment default\/web on edge\n$/,
  )
  const plain = await create('plain', [{ ...configMap, metadata: { ...configMap.metadata, name: 'd' } }])
  assert.deepEqual([plain.code, plain.errors], [0, ''])
})
