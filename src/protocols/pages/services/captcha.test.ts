import { expect, test } from 'vitest'
import { captchaFields } from './captcha.ts'

test.each([
  ['https://api.hcaptcha.com/siteverify', 'h-captcha', 'https://js.hcaptcha.com/'],
  ['https://hcaptcha.com/siteverify', 'h-captcha', 'https://js.hcaptcha.com/'],
  ['https://challenges.cloudflare.com/turnstile/v0/siteverify', 'cf-turnstile', 'https://challenges.cloudflare.com/'],
  ['https://www.google.com/recaptcha/api/siteverify', 'g-recaptcha', 'https://www.google.com/recaptcha/'],
])('the widget of %s loads its script and frame from sources that the policy gets', (url, box, script) => {
  const { markup, field, sources } = captchaFields(url, 'site.key-1')
  expect(field).toBe(`${box}-response`)
  expect(markup).toContain(`<div class="${box}" data-sitekey="site.key-1">`)
  expect(markup).toContain(`<script src="${script}`)
  const { hostname } = new URL(script)
  const allowed = sources.script?.split(' ').map((source) => new URL(source.replace('*', 'js')).hostname)
  expect(allowed).toContain(hostname)
  expect(sources.frame).toBeDefined()
})

test('an unknown verifier, or one without a site key, gets a field for an answer', () => {
  for (const fields of [
    captchaFields('https://verifier.example/siteverify', 'key'),
    captchaFields('https://api.hcaptcha.com/siteverify', undefined),
  ])
    expect(fields).toEqual({ markup: expect.stringContaining('name="captcha"'), field: 'captcha', sources: {} })
})
