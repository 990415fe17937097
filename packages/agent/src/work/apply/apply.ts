import type { UpdateStrategyType } from '@orrery/api'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { ApplyRequest } from './apply-request.js'
import { applyCreateOnly } from './create-only.js'
import { applyServerSide } from './serverside.js'
import { applyUpdate } from './update.js'

/** The strategies that write. */
export type WritingStrategy = Exclude<UpdateStrategyType, 'ReadOnly'>

/** Applies a manifest with a strategy. Resolves with the resulting object. */
export function applyManifest(strategy: WritingStrategy, request: ApplyRequest): Promise<DynamicObject> {
  switch (strategy) {
    case 'Update':
      return applyUpdate(request)
    case 'CreateOnly':
      return applyCreateOnly(request)
    case 'ServerSideApply':
      return applyServerSide(request)
  }
}
