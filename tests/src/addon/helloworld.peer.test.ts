// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'

const run = promisify(execFile)
const KUBECTL = new URL('../../../.cache/peers/bin/kubectl-37', import.meta.url).pathname
const NAMESPACE = 'open-cluster-management-agent-addon'

/** Runs kubectl with a context of the fleet and returns its output; empty if the object does not exist. */
type Kubectl = (context: string, ...args: readonly string[]) => Promise<string>

async function startFleet(t: TestContext): Promise<Kubectl> {
  if (!existsSync(KUBECTL)) throw new Error(`${KUBECTL} is missing: run node tools/peers/kubectl.mjs`)
  const directory = await fleetDirectory(t)
  const { code, errors } = await orrery(
    'up',
    '--data',
    directory,
    '--clusters',
    '1',
    '--detach',
    '--addon',
    'helloworld',
  )
  assert.equal(code, 0, errors)
  const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), HOME: directory }
  return async (context, ...args) => (await run(KUBECTL, ['--context', context, ...args], { env })).stdout
}

/** Waits until the output of kubectl matches. */
function sees(kubectl: Kubectl, pattern: RegExp, context: string, ...args: readonly string[]): Promise<string> {
  let last = ''
  const look = async () => {
    last = await kubectl(context, ...args, '--ignore-not-found')
    return pattern.test(last) && last
  }
  return eventually(`kubectl ${args.join(' ')} shows ${pattern}`, look, { intervalMilliseconds: 200, seen: () => last })
}

const ADDON = ['-n', 'cluster1', 'get', 'managedclusteraddon', 'helloworld', '-o'] as const
const CERTIFICATE = [
  '-n',
  NAMESPACE,
  'get',
  'secret',
  'helloworld-hub-kubeconfig',
  '-o',
  'jsonpath={.data.tls\\.crt}',
] as const

test('helloworld: the whole story of an add-on, with kubectl', async (t) => {
  const kubectl = await startFleet(t)
  // The hub creates it anew, since the placement selects the cluster.
  const before = await kubectl('hub', ...ADDON, 'jsonpath={.metadata.uid}')
  await kubectl('hub', '-n', 'cluster1', 'delete', 'managedclusteraddon', 'helloworld')
  await eventually('the add-on is created', async () => {
    const uid = await kubectl('hub', ...ADDON, 'jsonpath={.metadata.uid}', '--ignore-not-found')
    return uid !== '' && uid !== before
  })

  await t.test('the controller creates a work, and the agent of the cluster applies it', async () => {
    await sees(kubectl, /addon-helloworld-deploy-0/, 'hub', '-n', 'cluster1', 'get', 'manifestworks')
    await sees(kubectl, /helloworld-agent-sa/, 'cluster1', '-n', NAMESPACE, 'get', 'serviceaccounts')
    await sees(kubectl, /helloworld-agent +1\/1/, 'cluster1', '-n', NAMESPACE, 'get', 'deployments')
  })

  await t.test(
    'the registration is in the status, the request is approved, and the Secret has the kubeconfig',
    async () => {
      const subject = 'jsonpath={.status.registrations[0].kubeClient.subject}'
      const registered = await sees(kubectl, /agent:helloworld/, 'hub', ...ADDON, subject)
      const group = 'system:open-cluster-management:cluster:cluster1:addon:helloworld'
      assert.deepEqual(JSON.parse(registered), {
        user: `${group}:agent:helloworld`,
        groups: [group, 'system:open-cluster-management:addon:helloworld'],
      })
      await sees(kubectl, /addon-cluster1-helloworld-\w+ .*Approved,Issued/, 'hub', 'get', 'csr')
      const keys = await kubectl(
        'cluster1',
        '-n',
        NAMESPACE,
        'get',
        'secret',
        'helloworld-hub-kubeconfig',
        '-o',
        'json',
      )
      assert.deepEqual(Object.keys((JSON.parse(keys) as { data: object }).data).sort(), [
        'cluster-name',
        'kubeconfig',
        'tls.crt',
        'tls.key',
      ])
    },
  )

  await t.test('the agent renews its lease, and the add-on is available', async () => {
    await sees(kubectl, /^helloworld /m, 'cluster1', '-n', NAMESPACE, 'get', 'leases')
    await sees(kubectl, /^helloworld +True/m, 'hub', '-n', 'cluster1', 'get', 'managedclusteraddons')
    const label = 'jsonpath={.metadata.labels.feature\\.open-cluster-management\\.io/addon-helloworld}'
    await sees(kubectl, /^available$/, 'hub', 'get', 'managedcluster', 'cluster1', '-o', label)
  })

  await t.test('the agent copies ConfigMaps, also after its certificate is rotated', async () => {
    const value = ['-n', NAMESPACE, 'get', 'configmap', '-o', 'jsonpath={.data.value}'] as const
    await kubectl('hub', '-n', 'cluster1', 'create', 'configmap', 'first', '--from-literal=value=helloworld')
    await sees(kubectl, /^helloworld$/, 'cluster1', ...value, 'first')
    const old = await kubectl('cluster1', ...CERTIFICATE)
    await kubectl('cluster1', '-n', NAMESPACE, 'delete', 'secret', 'helloworld-hub-kubeconfig')
    await eventually('there is a new certificate', async () => {
      const now = await kubectl('cluster1', ...CERTIFICATE, '--ignore-not-found')
      return now !== '' && now !== old
    })
    await kubectl('hub', '-n', 'cluster1', 'create', 'configmap', 'second', '--from-literal=value=again')
    await sees(kubectl, /^again$/, 'cluster1', ...value, 'second')
  })

  await t.test('nothing is left when the add-on is removed', async () => {
    await kubectl('hub', 'delete', 'clustermanagementaddon', 'helloworld')
    const left = (context: string, namespace: string, kinds: string) =>
      kubectl(context, '-n', namespace, 'get', kinds, '-o', 'name', '--ignore-not-found')
    await eventually('nothing is left on the cluster', async () => {
      const names = await left(
        'cluster1',
        NAMESPACE,
        'all,leases,secrets,configmaps,roles,rolebindings,serviceaccounts',
      )
      return names.trim() === 'configmap/kube-root-ca.crt\nserviceaccount/default'
    })
    await eventually('nothing is left on the hub', async () => {
      const names = await left('hub', 'cluster1', 'managedclusteraddons,manifestworks,roles')
      return names.trim() === ''
    })
  })
})
