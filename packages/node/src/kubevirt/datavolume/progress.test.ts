import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataVolumeSpec } from '../kinds/data-volume.js'
import { PLAY_IMPORT } from '../machine/play-script.js'
import { dataVolumeOf, NOW } from '../testing.fixture.js'
import { progressOf } from './progress.js'

const after = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)

test('progressOf: shows each step of an import', () => {
  const dataVolume = dataVolumeOf('', { [PLAY_IMPORT]: '4s' })
  const at = (milliseconds: number) => progressOf(dataVolume, NOW, after(milliseconds))
  assert.deepEqual(at(0), { phase: 'ImportScheduled', progress: 'N/A', again: after(250) })
  assert.deepEqual(at(250), { phase: 'ImportInProgress', progress: '0.00%', again: after(1_250) })
  assert.deepEqual(at(3_750), { phase: 'ImportInProgress', progress: '87.50%', again: after(4_250) })
  assert.deepEqual(at(4_250), { phase: 'Succeeded', progress: '100.0%' })
})

test('progressOf: has the phases of clones and uploads', () => {
  const phases = (source: DataVolumeSpec['source'], annotations = {}) => {
    const { spec, ...rest } = dataVolumeOf('', annotations)
    const dataVolume = { ...rest, spec: { ...spec, ...(source !== undefined && { source }) } }
    return [0, 300, 5_000].map((time) => progressOf(dataVolume, NOW, after(time)).phase)
  }
  assert.deepEqual(phases({ pvc: { namespace: 'a', name: 'b' } }), ['CloneScheduled', 'CloneInProgress', 'Succeeded'])
  assert.deepEqual(phases({ upload: {} }), ['UploadScheduled', 'UploadReady', 'UploadReady'])
  assert.deepEqual(phases({ upload: {} }, { [PLAY_IMPORT]: '1s' }), ['UploadScheduled', 'UploadReady', 'Succeeded'])
  assert.deepEqual(phases({ blank: {} }, { [PLAY_IMPORT]: 'fail' }), ['ImportScheduled', 'Failed', 'Failed'])
})
