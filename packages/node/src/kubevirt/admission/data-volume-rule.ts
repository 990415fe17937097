import { forbidden, jsonEqual } from '@orrery/kinds/values'
import type { DataVolume, DataVolumeSpec } from '../kinds/data-volume.js'
import { CDI_GROUP } from '../names.js'
import { Causes } from './causes.js'
import { isFromKubevirt, type KubevirtRequest, type MayClone } from './request.js'

const WEBHOOK = 'datavolume-validate.cdi.kubevirt.io'

/** Checks a DataVolume: its source and its size. The spec never changes. */
export async function checkDataVolume(request: KubevirtRequest, mayClone: MayClone): Promise<void> {
  const dataVolume = request.object as unknown as DataVolume
  const before = request.oldObject as unknown as DataVolume | undefined
  const causes = new Causes()
  if (before === undefined) checkDataVolumeSpec(dataVolume.spec, 'spec', causes)
  else if (!jsonEqual(before.spec, dataVolume.spec)) causes.invalid('spec', 'the spec of a DataVolume cannot change')
  causes.refuse(WEBHOOK)
  const namespace = dataVolume.spec.source?.pvc?.namespace ?? request.namespace
  if (before !== undefined || namespace === request.namespace || isFromKubevirt(request)) return
  if (await mayClone(request.identity, namespace)) return
  const why = `user ${JSON.stringify(request.identity.username)} cannot clone claims of namespace ${JSON.stringify(namespace)}`
  throw forbidden({ group: CDI_GROUP, resource: 'datavolumes' }, dataVolume.metadata.name, why)
}

/** Checks the spec of a DataVolume, or of a template of one. */
export function checkDataVolumeSpec(spec: DataVolumeSpec, at: string, causes: Causes): void {
  const { source, sourceRef, storage, pvc } = spec
  if ((source === undefined) === (sourceRef === undefined)) {
    causes.invalid(`${at}.source`, `${at} must have exactly one of source and sourceRef`)
  }
  const sources = Object.keys(source ?? {})
  if (source !== undefined && sources.length !== 1) {
    causes.invalid(`${at}.source`, `${at}.source must have exactly one source, not ${sources.length}`)
  }
  if ((storage === undefined) === (pvc === undefined)) {
    causes.invalid(`${at}.storage`, `${at} must have exactly one of storage and pvc`)
    return
  }
  const field = storage === undefined ? 'pvc' : 'storage'
  const isClone = source?.pvc !== undefined || source?.snapshot !== undefined || sourceRef !== undefined
  const size = (storage ?? pvc)?.resources?.requests?.storage
  // The size of a clone is that of its source.
  if (size === undefined && !(isClone && field === 'storage')) {
    const path = `${at}.${field}.resources.requests.storage`
    causes.required(path, `${path} is required: the size of the volume`)
  }
  const { url } = source?.http ?? {}
  if (url !== undefined && !URL.canParse(url)) {
    causes.invalid(`${at}.source.http.url`, `${at}.source.http.url ${JSON.stringify(url)} is not a URL`)
  }
  if (pvc !== undefined && (pvc.accessModes ?? []).length === 0) {
    causes.required(`${at}.pvc.accessModes`, `${at}.pvc.accessModes is required`)
  }
}
