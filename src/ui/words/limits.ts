import { words } from "../view.ts";

// Sentences about what is larger or longer than the service takes.

export const limitWords = words(
  {
    formTooLarge: (size: string) => `This form is larger than ${size}.`,
    tooManyFields: (max: string) => `This form has more than ${max} fields.`,
    fieldTooLong: (max: string) => `A field of this form is too long: it may have at most ${max} characters.`,
    listTooLong: (max: string) => `Nothing was sent: the list has more than ${max} lines. Split it into smaller lists.`,
  },
  {
    formTooLarge: (size: string) => `यह फ़ॉर्म ${size} से बड़ा है।`,
    tooManyFields: (max: string) => `इस फ़ॉर्म में ${max} से ज़्यादा फ़ील्ड हैं।`,
    fieldTooLong: (max: string) => `इस फ़ॉर्म का एक फ़ील्ड बहुत लंबा है: उसमें ज़्यादा से ज़्यादा ${max} अक्षर हो सकते हैं।`,
    listTooLong: (max: string) => `कुछ नहीं भेजा गया: सूची में ${max} से ज़्यादा पंक्तियाँ हैं। उसे छोटी सूचियों में बाँटें।`,
  },
);
