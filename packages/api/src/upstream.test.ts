import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import { canonicalJson, isObject } from '@orrery/kinds/values'
import { hubCrds, spokeCrds } from './crds.js'
import type { CrdDraft } from './schema/index.js'

/** Digests of what Open Cluster Management 1.3.1 serves, without descriptions: see `digestOf`. */
const UPSTREAM: Readonly<Record<string, string>> = {
  'clustermanagementaddons.addon.open-cluster-management.io':
    '372277c45f619e073631b2b667babd2a68b8ba52935dee83f8c4ccb22f380e82',
  'managedclusters.cluster.open-cluster-management.io':
    'bf53953163a6bfbf032dd7a58d5f6c3b6b6ac5685c2bb6fbe5d35aa888c8b5b7',
  'managedclustersets.cluster.open-cluster-management.io':
    'c978478a8b01f0662ac6be8ec148bcd60fa4aca6e39148cc8b8c4fd79848d572',
  'clusterprofiles.multicluster.x-k8s.io': '099074ed9ba9bad118f450ea20c21a5ced3bbaf4920d0288809b82a993493d68',
  'manifestworkreplicasets.work.open-cluster-management.io':
    'e455f1d25fc25b6ff70003347c62f298ed02fa1cfc97f3b154083f579ea9571b',
  'manifestworks.work.open-cluster-management.io': 'bf4ab00674ce6055f223bdeb977af6df1447c793d6bd248df541310b94538381',
  'managedclusteraddons.addon.open-cluster-management.io':
    'c30aa2f5bd35cc00d721c8f80d44fc0e81485c365bdf8d99d9c07d5522b0e1a9',
  'managedclustersetbindings.cluster.open-cluster-management.io':
    '564d1da9795c985a36e0a818bd969a699f93e39e25fb67679742f7699113efdb',
  'appliedmanifestworks.work.open-cluster-management.io':
    '4e3f5195e92b940d8d569070a228daae542085649dd80240af1a5c5b3ac5cb84',
  'addondeploymentconfigs.addon.open-cluster-management.io':
    'ffcfd356ab6e5361bc8c1d58623c7979b63b190bc816b7632be871d18f5a28e4',
  'clusterclaims.cluster.open-cluster-management.io':
    '60c56508646c5a105134ac83858f6d91e07d764a706ceb194b4817ab802ac39b',
  'placements.cluster.open-cluster-management.io': '0a63d190ea387cfac072783dea2eadd86c6155c314e0849004de19cc38ad70b2',
  'addontemplates.addon.open-cluster-management.io': '40880a7bb3bdb94d51e9663e20f9b39073d1196963b7a45efaf9f14d84952062',
  'placementdecisions.cluster.open-cluster-management.io':
    '4b1b51ead67b9795865f3b98558196b8db71bc0ddd522d8e442ad9794b1f9f5b',
  'addonplacementscores.cluster.open-cluster-management.io':
    '831d57896eacad568f112afdba331563654606adef230ccd21254db7d70ad5b6',
  'clusterproperties.about.k8s.io': '34e5c1279624ff901f468100afa29704d83635e926e668b3d6db4cd58f394690',
}

/** Kinds that Open Cluster Management does not have. */
const OURS: ReadonlySet<string> = new Set([
  'managedclusterscores.cluster.open-cluster-management.io',
  'manifestworkdryruns.work.orrery.dev',
  'placementfailovers.cluster.orrery.dev',
])

/** What clients can tell of a definition: its spec without descriptions, required fields in any order. */
function digestOf({ spec }: CrdDraft): string {
  const { conversion: _, preserveUnknownFields: __, ...rest } = spec
  return createHash('sha256')
    .update(canonicalJson(plain(rest as unknown as JsonValue)))
    .digest('hex')
}

function plain(value: JsonValue, isFields = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => plain(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, field]) => isFields || !isIdle(key, field))
  return Object.fromEntries(
    kept.map(([key, field]) => {
      if (!isFields && key === 'required') return [key, (field as string[]).toSorted()]
      return [key, plain(field, !isFields && key === 'properties')]
    }),
  )
}

/** Whether a keyword makes no difference: a description, or no subresources. */
function isIdle(key: string, value: JsonValue): boolean {
  if (key === 'description') return !isObject(value)
  return key === 'subresources' && isObject(value) && Object.keys(value).length === 0
}

for (const crd of [...hubCrds(), ...spokeCrds()]) {
  const name = crd.metadata.name as string
  if (OURS.has(name)) continue
  test(`${name}: equals the CRD of Open Cluster Management field by field`, () => {
    assert.equal(digestOf(crd), UPSTREAM[name])
  })
}
