import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
  ManifestWorkReplicaSet,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  SCHEDULING_DISABLED_ANNOTATION,
  SEALING_KEY_ANNOTATION,
} from '@orrery/api'
import { installHub } from '@orrery/hub'
import { Namespace } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { generateSealingKeys, isSealed } from '@orrery/kube/seal'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { CommandHub } from './command-hub.js'

/** A hub with accepted clusters that have no agents. */
async function startHub(t: TestContext, ...clusters: string[]) {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  await commands.runHub(client)
  const annotations = { [SEALING_KEY_ANNOTATION]: generateSealingKeys().publicKey }
  for (const name of clusters) {
    await client.create(ManagedCluster, { metadata: { name, annotations }, spec: { hubAcceptsClient: true } })
  }
  for (const name of clusters) {
    await eventually('the cluster is accepted', async () => {
      const { status } = await client.get(ManagedCluster, { name })
      return isConditionTrue(status?.conditions, ManagedClusterCondition.HubAccepted)
    })
  }
  return { commands, client }
}

async function write(commands: CommandHub, name: string, text: string): Promise<string> {
  const file = join(commands.directory, name)
  await writeFile(file, text)
  return file
}

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: default }\n'
const secret = (name: string, value: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name}, namespace: default }\nstringData: { password: ${value} }\n`

async function worksOf(client: KubeClient): Promise<string[]> {
  const { items } = await client.list(ManifestWork)
  return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()
}

test('orrery create work: changes no cluster if one of several cannot have the work', async (t) => {
  const { commands, client } = await startHub(t, 'a', 'b')
  const file = await write(commands, 'config.yaml', CONFIG)
  const create = (name: string, clusters: string, ...more: string[]) =>
    commands.run('create', 'work', name, '-f', file, '--clusters', clusters, ...more)

  const typo = await create('w', 'a,typo,b')
  assert.deepEqual([typo.code, typo.out], [1, ''])
  assert.match(
    typo.errors,
    /^error: cluster typo not found: run `orrery get clusters` to list clusters\nNothing was changed\.\n$/,
  )
  assert.deepEqual(await worksOf(client), [])

  assert.equal((await create('w', 'a')).code, 0)
  await writeFile(file, CONFIG.replace('name: c,', 'name: d,'))
  const there = await create('w', 'b,a')
  assert.deepEqual([there.code, there.out], [1, ''])
  assert.match(there.errors, /^error: work w of cluster a already exists .*--overwrite\nNothing was changed\.\n$/)
  assert.deepEqual(await worksOf(client), ['a/w'])
  const both = await create('w', 'typo,a')
  assert.match(both.errors, /cluster typo not found.*\n.*work w of cluster a already.*\nNothing was changed\.\n$/)

  await client.patch(ManagedCluster, { name: 'b' }, { metadata: { annotations: { [SEALING_KEY_ANNOTATION]: null } } })
  await writeFile(file, secret('s', 'x'))
  const keyless = await create('sealed', 'a,b', '--seal')
  assert.deepEqual([keyless.code, keyless.out], [1, ''])
  assert.match(keyless.errors, /cluster b has no key to seal to/)
  assert.deepEqual(await worksOf(client), ['a/w'])

  const good = await create('w2', 'a,b')
  assert.deepEqual([good.code, good.out.split('\n').toSorted()], [0, ['', 'work a/w2 created', 'work b/w2 created']])
})

test('orrery delete work: deletes nothing if one of several clusters does not have the work', async (t) => {
  const { commands, client } = await startHub(t, 'a', 'b')
  const file = await write(commands, 'config.yaml', CONFIG)
  await commands.run('create', 'work', 'w', '-f', file, '--clusters', 'a')
  const remove = (...more: string[]) => commands.run('delete', 'work', 'w', '--clusters', 'a,b,typo', ...more)

  const refused = await remove()
  assert.deepEqual(
    [refused.code, refused.out, refused.errors],
    [
      1,
      '',
      'error: cluster typo not found: run `orrery get clusters` to list clusters\n' +
        'work w does not exist on b\nNothing was changed.\n',
    ],
  )
  const typo = await commands.run('delete', 'work', 'w', '--clusters', 'typo')
  assert.deepEqual(
    [typo.code, typo.errors],
    [1, 'error: cluster typo not found: run `orrery get clusters` to list clusters\n'],
  )
  assert.deepEqual(await worksOf(client), ['a/w'])
  const ignored = await remove('--ignore-not-found')
  assert.deepEqual([ignored.code, ignored.out], [0, 'work a/w is being deleted\n'], ignored.errors)
  assert.deepEqual(await worksOf(client), [])
  assert.equal((await remove('--ignore-not-found')).code, 0)
  assert.equal((await remove()).code, 1)
})

test('orrery accept: accepts no cluster if one of several is not registered', async (t) => {
  const { commands, client } = await startHub(t)
  await client.create(ManagedCluster, { metadata: { name: 'a' }, spec: { hubAcceptsClient: false } })
  const refused = await commands.run('accept', '--clusters', 'a,typo')
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.errors, /^error: cluster typo does not exist on the hub yet.*\nNothing was changed\.\n$/)
  assert.equal((await client.get(ManagedCluster, { name: 'a' })).spec?.hubAcceptsClient, false)
  assert.equal((await commands.run('accept', '--clusters', 'a')).code, 0)
  assert.equal((await client.get(ManagedCluster, { name: 'a' })).spec?.hubAcceptsClient, true)
})

test('orrery clusterset set: moves no cluster if one of several is unknown', async (t) => {
  const { commands, client } = await startHub(t, 'a')
  await commands.run('create', 'clusterset', 'eu')
  const before = await client.get(ManagedCluster, { name: 'a' })
  const refused = await commands.run('clusterset', 'set', 'eu', '--clusters', 'a,typo')
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.errors, /typo/)
  assert.deepEqual((await client.get(ManagedCluster, { name: 'a' })).metadata.labels, before.metadata.labels)
})

test('orrery create work: does not store the values of a sealed Secret in plain text', async (t) => {
  const { commands, client } = await startHub(t, 'a', 'b')
  const file = await write(commands, 'secret.yaml', secret('db', 'one'))
  const create = (...more: string[]) => commands.run('create', 'work', 'db', '-f', file, ...more)
  const manifests = async (cluster: string) => {
    const { spec } = await client.get(ManifestWork, { namespace: cluster, name: 'db' })
    return spec?.workload?.manifests ?? []
  }
  assert.equal((await create('--clusters', 'a', '--seal')).code, 0)
  const sealed = await manifests('a')
  assert.ok(sealed.every(isSealed))

  await writeFile(file, secret('db', 'two'))
  const message = (exposed: string) =>
    `work db of cluster a has sealed Secrets, and the values of ${exposed} would be stored on the hub in plain text: `
  for (const clusters of ['a', 'a,b']) {
    const refused = await create('--clusters', clusters, '--overwrite')
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.ok(refused.errors.includes(`${message('Secret default/db')}seal them again with --seal\n`), refused.errors)
  }
  assert.deepEqual([await manifests('a'), await worksOf(client)], [sealed, ['a/db']])
  await writeFile(file, secret('other', 'two'))
  const renamed = await create('--clusters', 'a', '--overwrite')
  assert.ok(renamed.errors.includes(message('Secret default/other')), renamed.errors)

  await client.create(Namespace, { metadata: { name: 'shop' } })
  const placement = { namespace: 'shop', name: 'eu' }
  const annotations = { [SCHEDULING_DISABLED_ANNOTATION]: 'true' }
  await client.create(Placement, { metadata: { ...placement, annotations }, spec: {} })
  const labels = { [PLACEMENT_LABEL]: 'eu' }
  const decision = await client.create(PlacementDecision, { metadata: { ...placement, name: 'eu-1', labels } })
  const decisions = [{ clusterName: 'a', reason: '' }]
  await client.patch(PlacementDecision, decision.metadata, { status: { decisions } }, { subresource: 'status' })
  const placed = await create('--placement', 'shop/eu', '--overwrite')
  assert.deepEqual([placed.code, placed.errors.includes('in plain text')], [1, true], placed.errors)
  const set = await create('--placement', 'shop/eu', '--replicaset')
  assert.equal(set.code, 1)
  assert.match(set.errors, /in plain text: create a work for each cluster, with --seal and without --replicaset\n/)
  assert.deepEqual((await client.list(ManifestWorkReplicaSet)).items, [])
  assert.deepEqual(await manifests('a'), sealed)

  const again = await create('--clusters', 'a', '--overwrite', '--seal')
  assert.deepEqual([again.code, again.out], [0, 'work a/db changed\n'], again.errors)
  assert.ok((await manifests('a')).every(isSealed))
  await writeFile(file, CONFIG)
  assert.equal((await create('--clusters', 'a', '--overwrite')).code, 0, 'without Secrets there is nothing to seal')
})

test('orrery create work: keeps a plain Secret beside sealed ones', async (t) => {
  const { commands, client } = await startHub(t, 'a')
  const both = `${secret('db', 'one')}---\n${secret('plain', 'one')}`
  const file = await write(commands, 'both.yaml', secret('db', 'one'))
  await commands.run('create', 'work', 'db', '-f', file, '--clusters', 'a', '--seal')
  const ref = { namespace: 'a', name: 'db' }
  const { spec } = await client.get(ManifestWork, ref)
  const plain = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'plain' },
    data: { a: 'eA==' },
  }
  const manifests = [...(spec?.workload?.manifests ?? []), plain]
  await client.patch(ManifestWork, ref, { spec: { workload: { manifests } } } as never)
  await writeFile(file, both)
  const create = () => commands.run('create', 'work', 'db', '-f', file, '--clusters', 'a', '--overwrite')
  const refused = await create()
  assert.match(refused.errors, /the values of Secret default\/db would be stored/)
  await writeFile(file, secret('plain', 'two'))
  assert.equal((await create()).code, 0)
})

test('orrery delete, unjoin, unbind: fail if the object does not exist, unless --ignore-not-found is set', async (t) => {
  const { commands, client } = await startHub(t)
  await commands.serve('edge')
  await client.create(Namespace, { metadata: { name: 'shop' } })
  await client.create(Placement, { metadata: { namespace: 'shop', name: 'eu' }, spec: {} })
  await commands.run('delete', 'token')
  const onHub = ['--kubeconfig', commands.kubeconfig, '--context', 'hub']
  const onEdge = ['--kubeconfig', commands.kubeconfig, '--context', 'edge']
  const hub = ['--hub-kubeconfig', commands.kubeconfig, '--hub-context', 'hub']
  const cases: readonly [readonly string[], RegExp][] = [
    [['delete', 'cluster', 'none', ...onHub], /cluster none not found: run `orrery get clusters`/],
    [['delete', 'clusterset', 'none', ...onHub], /cluster set none not found: run `orrery get clustersets`/],
    [['delete', 'token', ...onHub], /no join token found: run `orrery init`/],
    [['delete', 'work', 'w', '--placement', 'shop/eu', '--replicaset', ...onHub], /replica set shop\/w not found/],
    [['clusterset', 'unbind', 'none', '-n', 'shop', ...onHub], /cluster set none is not bound to namespace shop/],
    [
      ['unjoin', '--cluster-name', 'edge', ...onEdge, ...hub],
      /cluster edge has not joined a hub: run `orrery get agent-info`/,
    ],
  ]
  for (const [words, why] of cases) {
    const failed = await orrery(...words)
    assert.deepEqual([failed.code, failed.out], [1, ''], words.join(' '))
    assert.match(failed.errors, why)
    assert.match(failed.errors, /^error: /)
    const ignored = await orrery(...words, '--ignore-not-found')
    assert.deepEqual([ignored.code, ignored.out], [0, ''], ignored.errors)
    assert.match(ignored.errors, why)
  }
})
