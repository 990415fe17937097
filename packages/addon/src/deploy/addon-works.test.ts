import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ADDON_NAME_LABEL, ADDON_NAMESPACE_LABEL, type ManifestWork } from '@orrery/api'
import { addonOfWork } from './addon-works.js'

/** The add-on of a work in the namespace `c1`. */
function addonOf(name: string, labelledCluster?: string): string | undefined {
  const labels = {
    [ADDON_NAME_LABEL]: 'hello',
    ...(labelledCluster !== undefined && { [ADDON_NAMESPACE_LABEL]: labelledCluster }),
  }
  const ref = addonOfWork({ metadata: { namespace: 'c1', name, labels } } as unknown as ManifestWork)
  return ref && `${ref.namespace}/${ref.name}`
}

suite('addonOfWork', () => {
  const table: readonly [work: string, label: string | undefined, addon: string | undefined][] = [
    ['addon-hello-deploy-0', undefined, 'c1/hello'],
    ['addon-hello-deploy-0', 'c2', 'c1/hello'],
    ['addon-hello-pre-delete', undefined, 'c1/hello'],
    ['addon-hello-pre-delete', 'c2', 'c1/hello'],
    ['addon-hello-deploy-hosting-c2-0', 'c2', 'c2/hello'],
    ['addon-hello-deploy-hosting-c2-0', 'c3', undefined],
    ['addon-hello-deploy-hosting-c20-0', 'c2', undefined],
    ['addon-hello-deploy-hosting-c2-0', undefined, undefined],
    ['addon-hello-deploy-hosting-c1-12', undefined, 'c1/hello'],
    ['addon-hello-pre-delete-hosting-c2', 'c2', 'c2/hello'],
    ['addon-hello-pre-delete-hosting-c2', 'c3', undefined],
    ['addon-other-deploy-0', undefined, undefined],
  ]
  for (const [work, label, expected] of table) {
    test(`${work} with the label ${label ?? 'unset'} belongs to ${expected ?? 'no add-on'}`, () => {
      assert.equal(addonOf(work, label), expected)
    })
  }
})
