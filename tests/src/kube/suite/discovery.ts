import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CustomResourceDefinition } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { type ApiGroup, Discovery, isNoMatch } from '@orrery/kube/discovery'
import { eventually } from '@orrery/kube/testing'
import { type Connect, counting, uniqueName } from './subject.js'

/** Groups in one order: kube-apiserver orders groups of the same priority, and their resources, differently in its documents. */
function sorted(groups: readonly ApiGroup[]) {
  const versionsOf = ({ versions }: ApiGroup) =>
    versions.map((version) => ({ ...version, resources: version.resources.toSorted(by('plural')) }))
  return groups.map((group) => ({ ...group, versions: versionsOf(group) })).toSorted(by('name'))
}

function by<Name extends string>(field: Name) {
  return (a: Record<Name, string>, b: Record<Name, string>) => a[field].localeCompare(b[field])
}

/** Discovery of a server's resources by name. */
export function discoverySuite(where: string, connect: Connect): void {
  test(`${where}: resources are found by the names that kubectl accepts`, async (t) => {
    const { client } = await connect(t)
    const discovery = new Discovery(client)
    const cases: Record<string, string> = {
      po: 'pods v1',
      svc: 'services v1',
      ConfigMap: 'configmaps v1',
      events: 'events v1',
      'events.events.k8s.io': 'events.events.k8s.io v1',
      deploy: 'deployments.apps v1',
      'Deployment.v1.apps': 'deployments.apps v1',
      'ing.networking': 'ingresses.networking.k8s.io v1',
      hpa: 'horizontalpodautoscalers.autoscaling v2',
      'hpa.v1.autoscaling': 'horizontalpodautoscalers.autoscaling v1',
      crd: 'customresourcedefinitions.apiextensions.k8s.io v1',
    }
    for (const [text, expected] of Object.entries(cases)) {
      const found = await discovery.resolve(text)
      assert.equal(`${resourceName(found)} ${found.version}`, expected, text)
    }
    const all = (await discovery.resolveAll('all,cm')).map(resourceName)
    for (const name of ['pods', 'deployments.apps', 'jobs.batch', 'configmaps']) assert.ok(all.includes(name), name)
    await assert.rejects(discovery.resolve('deploymnets'), /did you mean deployments\.apps\?/)
  })

  test(`${where}: everything is read in two requests, and later only changes`, async (t) => {
    const { client } = await connect(t)
    const transport = counting(client.transport)
    const discovery = new Discovery(new KubeClient(transport))
    const first = await discovery.catalog()
    assert.deepEqual(transport.requests.sort(), ['GET /api', 'GET /apis'])
    assert.equal(await discovery.refresh(), first)
    assert.equal(transport.requests.length, 4)
  })

  test(`${where}: classic documents equal the aggregated ones`, async (t) => {
    const { client } = await connect(t)
    const old = new KubeClient({
      request: (request) => client.raw({ ...request, headers: { accept: 'application/json' } }),
    })
    const [aggregated, classic] = await Promise.all([new Discovery(client).catalog(), new Discovery(old).catalog()])
    assert.equal(classic.unavailable.size, 0)
    assert.deepEqual(sorted(classic.groups), sorted(aggregated.groups))
  })

  test(`${where}: a new kind is found, used and missed`, async (t) => {
    const { client, namespace } = await connect(t)
    const discovery = new Discovery(client)
    const group = `${uniqueName('zoo')}.example.com`
    const apiVersion = `${group}/v1`
    await assert.rejects(discovery.kindOf({ apiVersion, kind: 'Okapi' }), isNoMatch)
    const definition = { name: `okapis.${group}` }
    t.after(() => client.ensureDeleted(CustomResourceDefinition, definition))
    await client.create(CustomResourceDefinition, {
      metadata: definition,
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'okapis', kind: 'Okapi', shortNames: ['ok'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { stripes: { type: 'integer' } } } },
          },
        ],
      },
    })
    await eventually('the new kind can be found', () => discovery.resolve(`ok.${group}`).then(Boolean, isServed))
    const okapis = await discovery.kindOf({ apiVersion, kind: 'Okapi' })
    assert.deepEqual([okapis.plural, okapis.scope, okapis.singular], ['okapis', 'Namespaced', 'okapi'])
    await client.create(okapis, { apiVersion, kind: 'Okapi', metadata: { namespace, name: 'one' }, stripes: 12 })
    const { items } = await client.list(okapis, { namespace })
    assert.deepEqual(
      items.map(({ metadata, stripes }) => [metadata.name, stripes]),
      [['one', 12]],
    )
    await client.delete(CustomResourceDefinition, definition)
    await eventually('the kind is gone', async () => {
      return (await discovery.refresh()).kind({ group, kind: 'Okapi' }) === undefined
    })
  })

  test(`${where}: the server has a version`, async (t) => {
    const { client } = await connect(t)
    const { major, minor, gitVersion } = await new Discovery(client).version()
    assert.ok(major >= 1 && minor >= 20, `${major}.${minor}`)
    assert.match(gitVersion, /^v\d/)
  })
}

/** Only "not yet" is no failure. */
function isServed(error: unknown): boolean {
  if (!isNoMatch(error)) throw error
  return false
}
