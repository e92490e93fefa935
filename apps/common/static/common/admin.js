// Unfold leaves some of its controls to the mouse, and everything that scrolls has the same name.
const SCROLLED = {
  "#nav-sidebar-apps": "Everything in the administration",
  "#changelist-form [data-simplebar]": "Rows",
  "#changelist-filter [data-simplebar]": "Filters",
}

const LANDMARKS = {
  "#nav-sidebar-inner": "Administration",
  "#nav-sidebar-inner nav": "Your account",
}

const CONTROLS = {
  "#header-inner span[x-on\\:click]": "Menu",
  "#nav-sidebar-inner > div > span[x-on\\:click]": "Close the menu",
  "#nav-sidebar-inner div[x-on\\:click*=openUserLinks]": "Your account",
  "#changelist a[x-on\\:click]:not([href])": "Filters",
}

const each = (named, change) =>
  Object.entries(named).forEach(([selector, name]) =>
    document.querySelectorAll(selector).forEach((element) => change(element, name)),
  )

const press = (event) => {
  if (event.key !== "Enter" && event.key !== " ") return
  event.preventDefault()
  event.currentTarget.click()
}

const makeButton = (element, name) => {
  element.tabIndex = 0
  element.role = "button"
  element.addEventListener("keydown", press)
  // An icon is the name of its picture.
  element.querySelectorAll(".material-symbols-outlined").forEach((icon) => (icon.ariaHidden = true))
  if (element.matches(".material-symbols-outlined")) element.ariaLabel = name
  else element.title = name
}

document.addEventListener("DOMContentLoaded", () => {
  each(SCROLLED, (element, name) => element.setAttribute("data-simplebar-aria-label", name))
  each(LANDMARKS, (element, name) => (element.ariaLabel = name))
  each(CONTROLS, makeButton)
  // They stand below the title of the page, with no heading between.
  document.querySelectorAll("#changelist-filter h3").forEach((heading) => (heading.ariaLevel = 2))
})
