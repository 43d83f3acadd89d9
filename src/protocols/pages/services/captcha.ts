import { html, type PageSources } from '../page.ts'

/** How the form of the faucet asks for the answer of a captcha: its fields, and the foreign sources that these need. */
export type CaptchaFields = {
  markup: string
  /** The field of the form in which the answer arrives. */
  field: string
  sources: PageSources
}

type Widget = { script: string; box: string; sources: PageSources }

/** The widgets of the verifiers that `CAPTCHA_VERIFY_URL` may name, by the host of their address, as their makers document them. */
const widgets: Record<string, Widget> = {
  'hcaptcha.com': {
    script: 'https://js.hcaptcha.com/1/api.js',
    box: 'h-captcha',
    sources: {
      script: 'https://hcaptcha.com https://*.hcaptcha.com',
      frame: 'https://hcaptcha.com https://*.hcaptcha.com',
      connect: 'https://hcaptcha.com https://*.hcaptcha.com',
      style: 'https://hcaptcha.com https://*.hcaptcha.com',
    },
  },
  'challenges.cloudflare.com': {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    box: 'cf-turnstile',
    sources: { script: 'https://challenges.cloudflare.com', frame: 'https://challenges.cloudflare.com' },
  },
  'www.google.com': {
    script: 'https://www.google.com/recaptcha/api.js',
    box: 'g-recaptcha',
    sources: {
      script: 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
      frame: 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
      connect: 'https://www.google.com/recaptcha/',
    },
  },
}

/** The widget of the verifier where it is a known one and the site key is set; else a field for an answer got elsewhere. */
export function captchaFields(verifyUrl: string, siteKey: string | undefined): CaptchaFields {
  const host = new URL(verifyUrl).hostname
  const widget = widgets[host] ?? widgets[host.replace(/^api\./, '')]
  if (widget === undefined || siteKey === undefined) {
    const input =
      '<input name="captcha" maxlength="4096" required placeholder="Answer of the captcha" aria-label="Answer of the captcha">'
    return { markup: input, field: 'captcha', sources: {} }
  }
  const { script, box, sources } = widget
  const markup = `<div class="${box}" data-sitekey="${html(siteKey)}"></div><script src="${script}" async defer></script>`
  return { markup, field: `${box}-response`, sources }
}
