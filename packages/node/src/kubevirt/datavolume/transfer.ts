import type { DataVolumeSpec } from '../kinds/data-volume.js'

/** The phases and event reasons of a way to fill a DataVolume. */
export interface Transfer {
  readonly name: 'Import' | 'Clone' | 'Upload'
  readonly scheduled: string
  readonly inProgress: string
  readonly succeeded: string
  readonly failed: string
}

const IMPORT: Transfer = {
  name: 'Import',
  scheduled: 'ImportScheduled',
  inProgress: 'ImportInProgress',
  succeeded: 'ImportSucceeded',
  failed: 'ImportFailed',
}
const CLONE: Transfer = {
  name: 'Clone',
  scheduled: 'CloneScheduled',
  inProgress: 'CloneInProgress',
  succeeded: 'CloneSucceeded',
  failed: 'CloneFailed',
}
const UPLOAD: Transfer = {
  name: 'Upload',
  scheduled: 'UploadScheduled',
  inProgress: 'UploadReady',
  succeeded: 'UploadSucceeded',
  failed: 'UploadFailed',
}

/** Returns how a DataVolume is filled. */
export function transferOf({ source = {} }: DataVolumeSpec): Transfer {
  if (source.pvc !== undefined || source.snapshot !== undefined) return CLONE
  return source.upload === undefined ? IMPORT : UPLOAD
}
