import type { ObjectRef, PersistentVolumeClaim } from '@orrery/kinds'
import type { DataVolume } from '../kinds/data-volume.js'

/** How far a transfer is. */
export type TransferState =
  | { readonly state: 'scheduled' }
  | { readonly state: 'running'; readonly share: number | undefined; readonly attempts: number }
  /** It failed, and is tried again. */
  | { readonly state: 'waiting'; readonly attempts: number; readonly message: string }
  | { readonly state: 'succeeded' }
  /** This node can only play it. */
  | { readonly state: 'played'; readonly why: string }

/** Fills the volumes of DataVolumes. */
export interface Transfers {
  /** Returns the progress of the transfer of a DataVolume with a bound claim. The first call starts it. */
  look(dataVolume: DataVolume, claim: PersistentVolumeClaim): TransferState
  /** Ends the transfer of a DataVolume that is gone or done. */
  forget(ref: ObjectRef): void
  /** Calls back when a transfer has made progress. Returns a function that stops that. */
  onChange(callback: (ref: ObjectRef) => void): () => void
}
