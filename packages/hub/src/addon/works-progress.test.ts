import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADDON_GROUP,
  CONFIG_SPEC_HASH_ANNOTATION,
  HOSTING_CLUSTER_ANNOTATION,
  type ManagedClusterAddOn,
  type ManifestWork,
} from '@orrery/api'
import { progressOfWorks } from './works-progress.js'

const TYPE = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
const CONFIG = { namespace: 'default', name: 'settings' }
const KEY = `addondeploymentconfigs.${ADDON_GROUP}/default/settings`

type Parts = {
  readonly conditions?: readonly string[]
  readonly specHash?: string
  readonly annotations?: Record<string, string>
  readonly spec?: object
}

/** An add-on with one configuration, unless its hash is undefined. */
function addOn({
  conditions = ['ManifestApplied'],
  specHash,
  annotations = {},
  spec = {},
}: Parts): ManagedClusterAddOn {
  const reference = { ...TYPE, desiredConfig: { ...CONFIG, specHash } }
  return {
    metadata: { namespace: 'c1', name: 'hello', annotations },
    spec,
    status: {
      conditions: conditions.map((type) => ({
        type,
        status: 'True',
        reason: 'R',
        message: '',
        lastTransitionTime: '',
      })),
      configReferences: specHash === undefined ? [] : [reference],
    },
  } as unknown as ManagedClusterAddOn
}

/** A work with hashes of configurations and conditions, which are for its generation 2 unless it says another. */
function work(hashes: object | string | undefined, conditions: Record<string, string>, generation = 2): ManifestWork {
  const annotation = typeof hashes === 'string' ? hashes : JSON.stringify(hashes)
  return {
    metadata: {
      namespace: 'c1',
      name: 'addon-hello-deploy-0',
      generation: 2,
      annotations: hashes === undefined ? {} : { [CONFIG_SPEC_HASH_ANNOTATION]: annotation },
    },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        message: `${type} is ${status}`,
        observedGeneration: generation,
      })),
    },
  } as unknown as ManifestWork
}

const READY = { Applied: 'True', Available: 'True' }
const mismatch = 'True Progressing: progressing... mca and work configs mismatch'
const notReady = 'True Progressing: progressing... work is not ready'
const completed = 'False Completed: completed with no errors.'
const hosted = { [HOSTING_CLUSTER_ANNOTATION]: 'host' }
const preDelete = { ...work(undefined, {}), metadata: { name: 'addon-hello-pre-delete' } } as unknown as ManifestWork

for (const [title, parts, works, expected] of [
  [
    'its spec has a configuration that is not supported',
    { spec: { configs: [{ ...TYPE, ...CONFIG }] } },
    [],
    `False ConfigurationUnsupported: Configuration with gvr ${ADDON_GROUP}/addondeploymentconfigs is not supported for this addon`,
  ],
  [
    'no ManifestApplied',
    { conditions: [] },
    [work(undefined, READY)],
    'False WaitingForManifestApplied: Waiting for ManagedClusterAddOn ManifestApplied condition',
  ],
  [
    'hosted, no HostingManifestApplied',
    { annotations: hosted },
    [work(undefined, READY)],
    'False WaitingForHostingManifestApplied: Waiting for ManagedClusterAddOn HostingManifestApplied condition',
  ],
  [
    'hosted, both applied',
    { annotations: hosted, conditions: ['ManifestApplied', 'HostingManifestApplied'] },
    [work(undefined, READY)],
    completed,
  ],
  ['no works', {}, [], 'True Progressing: progressing... no addon works'],
  ['no configurations', {}, [work(undefined, READY)], completed],
  ['a configuration, and a work without hashes', { specHash: 'a' }, [work(undefined, READY)], mismatch],
  ['the same configuration', { specHash: 'a' }, [work({ [KEY]: 'a' }, READY)], completed],
  ['an older configuration', { specHash: 'a' }, [work({ [KEY]: 'b' }, READY)], mismatch],
  ['one more configuration', { specHash: 'a' }, [work({ [KEY]: 'a', other: 'b' }, READY)], mismatch],
  ['a configuration without a hash', { specHash: '' }, [work({ [KEY]: '' }, READY)], mismatch],
  ['hashes that are no JSON', { specHash: 'a' }, [work('{', READY)], mismatch],
  ['a work that is not available', {}, [work(undefined, { ...READY, Available: 'False' })], notReady],
  ['a work that is not applied', {}, [work(undefined, { ...READY, Applied: 'False' })], notReady],
  ['a work that reported an older generation', {}, [work(undefined, READY, 1)], notReady],
  ['one of two works is not ready', {}, [work(undefined, READY), work(undefined, {})], notReady],
  ['a pre-delete hook', {}, [work(undefined, READY), preDelete], completed],
  ['a degraded work that has completed', {}, [work(undefined, { ...READY, Degraded: 'True' })], completed],
  [
    'a work that fails',
    {},
    [work(undefined, { ...READY, Progressing: 'True', Degraded: 'True' })],
    'False Failed: ManifestWork addon-hello-deploy-0 is degraded: Degraded is True',
  ],
] as const satisfies readonly (readonly [string, Parts, readonly ManifestWork[], string])[]) {
  test(`progressOfWorks: ${title}`, () => {
    const { type, status, reason, message } = progressOfWorks(addOn(parts), works)
    assert.equal(type, 'Progressing')
    assert.equal(`${status} ${reason}: ${message}`, expected)
  })
}
