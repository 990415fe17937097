import type { Logger } from '@orrery/kube'
import { bestMatch } from '../../kubelet/programs/image-pattern.js'
import { RegisteredFile } from '../../kubelet/programs/registered-file.js'
import { type MachineImage, type MachineImages, parseMachineImages } from './machine-image.js'

/** The registered machine images. Those of the options take precedence over the file. */
export class MachineImageRegistry {
  readonly #images: MachineImages
  readonly #file: RegisteredFile<MachineImage>

  constructor(images: MachineImages, file: string | undefined, log: Logger) {
    this.#images = images
    this.#file = new RegisteredFile(file, 'machine images', parseMachineImages, log)
  }

  /** Returns the machine image for a container image: the one with the most specific pattern. */
  find(image: string): MachineImage | undefined {
    return bestMatch(this.#images, image) ?? bestMatch(this.#file.read(), image)
  }
}
