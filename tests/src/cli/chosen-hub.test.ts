import assert from 'node:assert/strict'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedCluster } from '@orrery/api'
import { installHub } from '@orrery/hub'
import { mergeIntoKubeconfig, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { orreryIn } from '../support/cli-here.js'
import { CommandHub } from './command-hub.js'

test('orrery get: prefers KUBECONFIG over the local fleet and names the hub if the selection is ambiguous', async (t) => {
  const commands = await CommandHub.start(t)
  const [local, prod] = await Promise.all([commands.serve('local'), commands.serve('prod')])
  for (const { client } of [local, prod]) await installHub(client)
  const register = (client: typeof local.client, name: string) =>
    client.create(ManagedCluster, { metadata: { name }, spec: { hubAcceptsClient: false } })
  await Promise.all([register(local.client, 'in-local'), register(prod.client, 'in-prod')])
  const fleet = join(commands.directory, 'fleet')
  const other = join(commands.directory, 'prod.kubeconfig')
  await mkdir(fleet)
  await writeFile(join(fleet, 'fleet.json'), '{"parts":[]}')
  const fleetFile = join(fleet, 'kubeconfig')
  await mergeIntoKubeconfig(fleetFile, await parseKubeconfig(await local.server.kubeconfig('hub')), {
    setCurrent: true,
  })
  await mergeIntoKubeconfig(other, await parseKubeconfig(await prod.server.kubeconfig('prod')), { setCurrent: true })
  const home = { HOME: commands.directory, ORRERY_DATA: fleet, KUBECONFIG: '' }
  const listed = async (variables: NodeJS.ProcessEnv, ...args: string[]) => {
    const { out, errors, code } = await orreryIn({ ...home, ...variables }, 'get', 'clusters', ...args)
    assert.equal(code, 0, errors)
    return { clusters: [...out.matchAll(/in-\w+/g)].map(([name]) => name), out, errors }
  }
  const LOCAL = /^hub: https:\/\/127\.0\.0\.1:\d+ of the local fleet /m
  const NAMED = /^hub: /m

  const alone = await listed({})
  assert.deepEqual(alone.clusters, ['in-local'])
  assert.doesNotMatch(alone.errors, NAMED, 'no other hub could be meant')

  const chosen = await listed({ KUBECONFIG: other })
  assert.deepEqual(chosen.clusters, ['in-prod'])
  const note = `hub: ${prod.server.url} of $KUBECONFIG (select another with --kubeconfig, --context or --data)\n`
  assert.ok(chosen.errors.startsWith(note), chosen.errors)
  assert.doesNotMatch(chosen.out, NAMED)
  const json = await listed({ KUBECONFIG: other }, '-o', 'json')
  assert.deepEqual([JSON.parse(json.out).items.length, json.errors], [1, ''], 'programs read the same as before')

  const named = await listed({ KUBECONFIG: other }, '--data', fleet)
  assert.deepEqual(named.clusters, ['in-local'])
  assert.doesNotMatch(named.errors, NAMED)
  assert.deepEqual((await listed({ KUBECONFIG: fleetFile })).clusters, ['in-local'])
  assert.deepEqual((await listed({ KUBECONFIG: fleetFile }, '--kubeconfig', other)).clusters, ['in-prod'])

  const lost = join(commands.directory, 'lost.kubeconfig')
  const wrong = await orreryIn({ ...home, KUBECONFIG: lost }, 'get', 'clusters')
  assert.equal(wrong.code, 1)
  assert.match(wrong.errors, /KUBECONFIG names \S+lost\.kubeconfig, which does not exist or has no cluster: correct or/)
  assert.ok(wrong.errors.includes(`For the hub of the local fleet, add --data ${fleet}.`), wrong.errors)
  for (const absent of [['unjoin'], ['get', 'agent-info']]) {
    const { errors, code } = await orreryIn(home, ...absent, '--cluster-name', 'nowhere')
    assert.equal(code, 1)
    assert.match(
      errors,
      /cluster nowhere not found in the fleet in \S+ \(clusters: none\): for another cluster, set --kubeconfig or/,
    )
  }
  const elsewhere = { ...home, ORRERY_DATA: join(commands.directory, 'none'), KUBECONFIG: fleetFile }
  const inFleet = await orreryIn(elsewhere, 'get', 'agent-info', '--cluster-name', 'nowhere')
  assert.ok(inFleet.errors.includes(`not found in the fleet in ${fleet} `), inFleet.errors)
  const ignored = await orreryIn(home, 'unjoin', '--cluster-name', 'nowhere', '--ignore-not-found')
  assert.equal(ignored.code, 0, ignored.errors)

  await mkdir(join(commands.directory, '.kube'))
  await rename(other, join(commands.directory, '.kube', 'config'))
  const both = await listed({})
  assert.deepEqual(both.clusters, ['in-local'])
  assert.match(both.errors, LOCAL)
})
