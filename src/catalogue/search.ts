// Search by words over names, descriptions and parameters, in memory. An index of our own: libraries for it keep so much for every
// hit that a long question among 10,000 tools takes them several times as long.

import { setImmediate } from 'node:timers/promises'
import { isObject } from '../base/json.ts'
import type { Tool } from '../model/tool.ts'
import { Vocabulary } from './vocabulary.ts'
import { queryWords, wordsOf } from './words.ts'

export type Search = (words: string, most: number) => readonly Tool[]

/** Builds the index, a part at a time, so that others get their turn meanwhile. */
export async function createSearch(tools: readonly Tool[]): Promise<Search> {
  const vocabulary = new Vocabulary()
  for (const [at, tool] of tools.entries()) {
    for (const [word, weight] of weightedWords(tool)) vocabulary.add(word, at, weight)
    if (at % 250 === 249) await setImmediate()
  }
  vocabulary.sort()
  return (query, most) => {
    const scores = scoresOf(queryWords(query), vocabulary, tools.length)
    return bestOf(scores, most).flatMap((at) => tools[at] ?? [])
  }
}

const maxParameters = 64
/** What a hit counts: in a name most, and more the shorter the name is; in a parameter a little. */
const weights = { description: 1, parameters: 0.3, name: 3, shortName: 3 } as const

/** No tool takes more room than this, whatever it says of itself. */
const maxWords = 100

function weightedWords({ id, description, input }: Tool): ReadonlyMap<string, number> {
  const name = new Set(wordsOf(id, 200))
  const found = new Map<string, number>()
  for (const word of name) found.set(word, weights.name + weights.shortName / name.size)
  const texts = [
    { words: wordsOf(description, 2_000), weight: weights.description },
    { words: wordsOf(parameterText(input.schema), 2_000), weight: weights.parameters },
  ]
  for (const { words, weight } of texts) {
    for (const word of new Set(words)) {
      if (name.has(word)) found.set(word, (found.get(word) ?? 0) + weight)
      else if (!found.has(word) && found.size < maxWords) found.set(word, weight)
    }
  }
  return found
}

function parameterText(schema: unknown): string {
  if (!isObject(schema) || !isObject(schema.properties)) return ''
  const parameters = Object.entries(schema.properties).slice(0, maxParameters)
  const texts = parameters.map(([name, field]) => {
    const about = isObject(field) && typeof field.description === 'string' ? field.description.slice(0, 200) : ''
    return `${name.slice(0, 100)} ${about}`
  })
  return texts.join(' ')
}

/** Rare words count more than common ones, and a tool that has more of the words goes before one that has a single one often. */
function scoresOf(words: readonly string[], vocabulary: Vocabulary, amount: number): Float64Array {
  const scores = new Float64Array(amount)
  const matched = new Uint8Array(amount)
  const patience = { comparisons: 5_000 }
  for (const word of words) {
    const best = new Float64Array(amount)
    for (const { places, likeness } of vocabulary.like(word, patience)) {
      const rarity = Math.log(1 + (amount - places.length / 2 + 0.5) / (places.length / 2 + 0.5))
      for (let at = 0; at < places.length; at += 2) {
        const place = places[at] ?? 0
        best[place] = Math.max(best[place] ?? 0, (places[at + 1] ?? 0) * rarity * likeness)
      }
    }
    for (const [place, score] of best.entries()) {
      if (score === 0) continue
      scores[place] = (scores[place] ?? 0) + score
      matched[place] = (matched[place] ?? 0) + 1
    }
  }
  return scores.map((score, place) => (score * (matched[place] ?? 0)) / words.length)
}

/** The places with the highest scores, best first; of equals the earlier one. */
function bestOf(scores: Float64Array, most: number): number[] {
  const hits: number[] = []
  for (let place = 0; place < scores.length; place++) if (scores[place]) hits.push(place)
  return hits.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, Math.max(0, most))
}
