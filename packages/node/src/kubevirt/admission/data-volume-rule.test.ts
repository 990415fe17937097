import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataVolumeSpec } from '../kinds/data-volume.js'
import type { refusalOf } from '../testing.fixture.js'
import { Causes } from './causes.js'
import { checkDataVolumeSpec } from './data-volume-rule.js'

function fieldsOf(spec: DataVolumeSpec): string[] {
  const causes = new Causes()
  checkDataVolumeSpec(spec, 'spec', causes)
  try {
    causes.refuse('test')
    return []
  } catch (error) {
    return ((error as ReturnType<typeof refusalOf>).status.details?.causes ?? []).map(({ field = '' }) => field)
  }
}

test('checkDataVolumeSpec: wants one source, one claim and a size', () => {
  const storage = { resources: { requests: { storage: '1Gi' } } }
  const size = 'spec.storage.resources.requests.storage'
  const cases: [DataVolumeSpec, string[]][] = [
    [{ source: { blank: {} }, storage }, []],
    [{ source: { pvc: { namespace: 'a', name: 'b' } }, storage: {} }, []],
    [{ sourceRef: { kind: 'DataSource', name: 'fedora' }, storage: {} }, []],
    [{ source: { blank: {} }, pvc: { ...storage, accessModes: ['ReadWriteOnce'] } }, []],
    [{ storage }, ['spec.source']],
    [{ source: { blank: {} }, sourceRef: { kind: 'DataSource', name: 'fedora' }, storage }, ['spec.source']],
    [{ source: {}, storage }, ['spec.source']],
    [{ source: { blank: {}, upload: {} }, storage }, ['spec.source']],
    [{ source: { blank: {} } }, ['spec.storage']],
    [{ source: { blank: {} }, storage: {} }, [size]],
    [{ source: { http: { url: 'not a url' } }, storage }, ['spec.source.http.url']],
    [{ source: { blank: {} }, pvc: storage }, ['spec.pvc.accessModes']],
  ]
  for (const [spec, expected] of cases) assert.deepEqual(fieldsOf(spec), expected, JSON.stringify(spec))
})
