import { render } from "preact";
import { App } from "./app.tsx";
import "./style/base.css";
import "./style/parts.css";
import "./style/views.css";

const place = document.getElementById("console");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
