import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { BOOTSTRAP_SECRET, ManagedCluster } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isNotFound, isUnauthorized } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { connect } from '@orrery/kube/transport'
import { parseAllDocuments } from 'yaml'
import { orrery, orreryAtOnce } from '../support/cli-here.js'
import { inTime, running } from '../support/fleet.js'
import { afterwards } from '../support/server.js'
import { CommandHub } from './command-hub.js'

interface JoinDocument {
  readonly server: string
  readonly ca: string
  readonly token: string
  readonly command: string
  readonly 'hub-token': string
  readonly 'hub-apiserver': string
}

test('orrery init, join, accept, get, unjoin: a cluster joins an existing hub and leaves it', async (t) => {
  const commands = await CommandHub.start(t)
  const [hub, edge] = await Promise.all([commands.serve('hub'), commands.serve('edge')])

  const early = await commands.run('get', 'clusters')
  assert.deepEqual([early.code, early.out], [1, ''])
  assert.match(early.errors, /This cluster is not a hub: .*orrery init/)

  const init = await commands.run('init', '--wait')
  assert.equal(init.code, 0, init.errors)
  assert.match(init.out, /orrery hub --kubeconfig .* --context hub/)
  const joinDocument = await commands.json<JoinDocument>('get', 'token', '--use-bootstrap-token')
  assert.deepEqual(
    [joinDocument['hub-token'], joinDocument['hub-apiserver']],
    [joinDocument.token, joinDocument.server],
  )
  assert.match(joinDocument.token, /^ocmhub\.[a-z0-9]{16}$/)
  assert.ok(init.out.includes(joinDocument.command), init.out)
  await commands.runHub(hub.client)

  const words = joinDocument.command.split(' ').slice(1).with(-1, 'edge')
  const printed = await orreryAtOnce(...words, '--print')
  assert.deepEqual(
    parseAllDocuments(printed.out).map((document) => document.get('kind')),
    ['Namespace', 'Secret'],
  )
  const wrong = words.with(words.indexOf('--hub-token') + 1, 'ocmhub.0000000000000000')
  const refused = await orreryAtOnce(...wrong)
  assert.equal(refused.code, 1)
  assert.match(refused.errors, /token is invalid or has expired: .*orrery get token/)
  const untrusted = await orreryAtOnce(...words.toSpliced(words.indexOf('--ca-data'), 2))
  assert.match(untrusted.errors, /--ca-file or --ca-data/)

  const joining = running(...words, '--kubeconfig', commands.kubeconfig, '--context', 'edge', '--log-level', 'error')
  afterwards(t, async () => {
    joining.process.kill('SIGTERM')
    await joining.ended
  })
  const accepted = await commands.run('accept', '--clusters', 'edge', '--wait', '--timeout', '60')
  assert.equal(accepted.code, 0, accepted.errors)
  assert.match(accepted.out, /^cluster edge accepted\ncertificate request \S+ approved\n$/)
  await inTime('it is available', async () => {
    const { out } = await commands.run('get', 'clusters', 'edge')
    return /^edge +True +True +True /m.test(out)
  })
  assert.match(joining.text(), /edge is not accepted yet: .*accept --clusters edge.*edge has joined/s)

  const renamed = await orrery(
    ...[...words.with(-1, 'other'), '--kubeconfig', commands.kubeconfig, '--context', 'edge', '--log-level', 'error'],
  )
  assert.equal(renamed.code, 1)
  assert.match(
    renamed.errors,
    /this cluster has joined a hub as edge, not other: .*`orrery unjoin --cluster-name edge`/,
  )
  assert.equal(await hub.client.find(ManagedCluster, { name: 'other' }), undefined)

  const inOther = [...words, '--data', join(commands.directory, 'other'), '--log-level', 'warn']
  const warned = running(...inOther)
  await warned.says(/with an active agent/)
  warned.process.kill('SIGTERM')
  await warned.ended
  const other = await orrery(...inOther, '--wait', '5')
  assert.equal(other.code, 1)
  assert.doesNotMatch(warned.text() + other.out, /joined/)
  assert.match(other.errors, /the hub has a cluster edge, but issued no certificate to this agent within 5 s/)

  const ofEdge = ['--kubeconfig', commands.kubeconfig, '--context', 'edge']
  const agent = await orrery('get', 'klusterlet-info', ...ofEdge)
  assert.equal(agent.code, 0, agent.errors)
  assert.match(agent.out, /^Cluster: +edge$.*^Certificate: +expires 20.*^Works applied: +0$.*last renewal/ms)
  assert.ok(agent.out.includes(`Hub:                  ${joinDocument.server}\n`), agent.out)
  const unjoined = await commands.run('get', 'agent-info')
  assert.equal(unjoined.code, 1)
  assert.match(unjoined.out, /^Certificate: +none$/m)
  assert.match(unjoined.errors, /The cluster has not joined a hub\. Run `orrery join`/)

  const left = await orrery(
    ...['unjoin', '--cluster-name', 'edge', '--kubeconfig', commands.kubeconfig, '--context', 'edge'],
    ...['--hub-kubeconfig', commands.kubeconfig, '--hub-context', 'hub'],
  )
  assert.deepEqual(
    [left.code, left.out],
    [0, 'cluster edge detached\nhub credentials of cluster edge removed\n'],
    left.errors,
  )
  assert.equal(await hub.client.find(ManagedCluster, { name: 'edge' }), undefined)
  const ref = { namespace: 'open-cluster-management-agent', name: BOOTSTRAP_SECRET }
  await assert.rejects(edge.client.get(Secret, ref), isNotFound)
})

test('orrery join --wait: fails and stops the agent if the cluster is not accepted in time', async (t) => {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await commands.run('init')
  await commands.runHub(client)
  const { command } = await commands.json<JoinDocument>('get', 'token')
  const words = command.split(' ').slice(1).with(-1, 'lab')
  const inLab = [...words, '--data', join(commands.directory, 'lab')]
  const registering = running(...inLab)
  await registering.says(/lab is not accepted yet/)
  registering.process.kill('SIGTERM')
  await registering.ended
  const { code, errors } = await orrery(...inLab, '--wait', '5')
  assert.equal(code, 1)
  assert.match(errors, /cluster lab was not accepted within 5 s: run `orrery accept --clusters lab`/)
})

test('orrery get token, delete token: writes a private bootstrap kubeconfig and revokes join tokens', async (t) => {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await commands.run('init')
  const file = join(commands.directory, 'bootstrap-kubeconfig')
  assert.equal((await commands.run('get', 'token', '--bootstrap-kubeconfig', file)).code, 0)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const { server, ca, token } = await commands.json<JoinDocument>('get', 'token', '--token-type', 'service-account')
  const joiner = new KubeClient(connect({ server, token, certificateAuthority: { text: ca } }))
  t.after(() => joiner.close())
  assert.deepEqual((await joiner.list(ManagedCluster)).items, [])
  const revoked = await commands.run('delete', 'token')
  assert.equal(revoked.out, 'bootstrap token deleted\nservice account deleted with all its tokens\n')
  await assert.rejects(joiner.list(ManagedCluster), isUnauthorized)
  const none = await commands.run('get', 'token')
  assert.match(none.errors, /no bootstrap token found: run `orrery init`/)
  assert.deepEqual((await client.list(ManagedCluster)).items, [])
})

test('orrery init, get token: warn if the kubeconfig has insecure-skip-tls-verify', async (t) => {
  const commands = await CommandHub.start(t)
  await commands.serve('hub')
  const text = await readFile(commands.kubeconfig, 'utf8')
  await writeFile(
    commands.kubeconfig,
    text.replace(/certificate-authority-data: \S+/, 'insecure-skip-tls-verify: true'),
  )
  for (const command of [['init'], ['get', 'token']]) {
    const { code, out, errors } = await commands.run(...command)
    assert.equal(code, 0, errors)
    assert.doesNotMatch(out, /--ca-data/)
    assert.match(errors, /insecure-skip-tls-verify.*\n.*certificate-authority.*--ca-file/)
  }
  const info = await commands.run('get', 'hub-info')
  assert.match(info.out, /Webhooks: +none, writes are not validated/)
})
